"""Models: one file a wire format, mapped to the loop's ``ModelEvent``s (DESIGN M1–M9).

HTTP is imported only with ``http_exchange``, and that only when something is really sent.
"""
