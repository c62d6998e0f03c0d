"""Models: one file a wire format, mapped to the loop's ``ModelEvent``s (DESIGN M1–M9).

httpx is imported only by ``http_client`` and ``http_probe``, and those only when something is really sent.
"""
