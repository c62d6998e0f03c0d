"""The forms that secrets of well-known services have, for ``masking``. What one looks like is public; none is in here.

Every pattern repeats within bounds and begins with plain text or behind a plain hint, so that megabytes take no time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SecretForm:
    """A known form of secret. ``hints``: one of these plain texts stands in every secret of the form."""

    name: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]


_BEGIN = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrtbf])|(?<=\\u[0-9a-fA-F]{4}))"
"""Not in the middle of a word; behind an escaped character of a JSON text is no middle."""


def _form(name: str, hints: str, pattern: str) -> SecretForm:
    return SecretForm(name, tuple(hints.split()), re.compile(rf"{_BEGIN}(?:{pattern})"))


FORMS = (
    _form("private key", "PuTTY-User-Key", r"PuTTY-User-Key-File-\d:[^\"']{0,20000}?Private-MAC: ?[0-9a-f]{1,128}"),
    _form("age key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{20,80}"),
    _form("Anthropic key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{16,256}"),
    _form("OpenRouter key", "sk-or-", r"sk-or-[A-Za-z0-9_-]{16,256}"),
    _form("OpenAI key", "sk-", r"sk-(?=[A-Za-z_-]{0,256}[0-9])[A-Za-z0-9_-]{20,256}"),
    _form("Stripe key", "k_live_ k_test_", r"[spr]k_(?:live|test)_[A-Za-z0-9]{10,256}"),
    _form("AWS key", "AKIA ASIA AGPA AROA AIDA ANPA", r"A(?:KIA|SIA|GPA|ROA|IDA|NPA)[A-Z0-9]{16}\b"),
    _form("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{30,256}"),
    _form("GitHub token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,256}"),
    _form("GitLab token", "gl", r"gl(?:pat|ptt|dt|rt|soat|cbt|imt|agent)-[A-Za-z0-9_.-]{20,256}"),
    _form("Slack token", "xox", r"xox[abeoprs]-[A-Za-z0-9-]{10,256}"),
    _form("Slack token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{10,256}"),
    _form("Slack address", "hooks.slack", r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/+_-]{20,256}"),
    _form("Google key", "AIza", r"AIza[A-Za-z0-9_-]{35}"),
    _form("Google secret", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{20,256}"),
    _form("Google token", "ya29.", r"ya29\.[A-Za-z0-9_-]{20,512}"),
    _form("Hugging Face token", "hf_", r"hf_[A-Za-z0-9]{30,256}"),
    _form("npm token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    _form("PyPI token", "pypi-", r"pypi-[A-Za-z0-9_-]{50,512}"),
    _form("Docker token", "dckr_", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,256}"),
    _form("DigitalOcean token", "_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    _form("SendGrid key", "SG.", r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}"),
    _form("Twilio key", "SK", r"SK[0-9a-f]{32}\b"),
    _form("Telegram token", ":AA", r"\d{8,10}:AA[A-Za-z0-9_-]{33}"),
    _form("Groq key", "gsk_", r"gsk_[A-Za-z0-9]{40,256}"),
    _form("xAI key", "xai-", r"xai-[A-Za-z0-9]{40,256}"),
    _form("Replicate token", "r8_", r"r8_[A-Za-z0-9]{30,256}"),
    _form("Vault token", "hvs. hvb. hvr.", r"hv[sbr]\.[A-Za-z0-9_-]{24,512}"),
    _form("Shopify token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    _form("Sentry token", "sntrys_", r"sntrys_[A-Za-z0-9+/=_-]{30,512}"),
    _form("Linear key", "lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{30,256}"),
    _form("Databricks token", "dapi", r"dapi[a-f0-9]{32}"),
    _form("signed token", "eyJ", r"eyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,4096}"),
    _form("Stripe secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,256}"),
    _form("AWS key", "ABSK", r"ABSK[A-Za-z0-9+/=]{60,512}"),
    _form("Azure secret", "8Q~", r"[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{31,40}"),
    _form("Azure signature", "sig=", r"sig=[A-Za-z0-9%+/=_-]{40,200}"),
    _form("Google token", "1//0", r"1//0[A-Za-z0-9_-]{30,256}"),
    _form("Slack token", "xoxe.", r"xoxe\.xox[bp]-[A-Za-z0-9-]{10,512}"),
    _form("Atlassian token", "ATATT3", r"ATATT3[A-Za-z0-9_=-]{50,512}"),
    _form("Notion token", "ntn_", r"ntn_[A-Za-z0-9]{40,128}"),
    _form("Figma token", "fig", r"fig[dour]_[A-Za-z0-9_-]{30,128}"),
    _form("Perplexity key", "pplx-", r"pplx-[A-Za-z0-9]{40,128}"),
    _form("NVIDIA key", "nvapi-", r"nvapi-[A-Za-z0-9_-]{50,128}"),
    _form("Cerebras key", "csk-", r"csk-[a-z0-9]{40,128}"),
    _form("Together key", "tgp_v1_", r"tgp_v1_[A-Za-z0-9_-]{30,128}"),
    _form("Pinecone key", "pcsk_", r"pcsk_[A-Za-z0-9_]{40,128}"),
    _form("LangSmith key", "lsv2_", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    _form("Grafana token", "glsa_ glc_", r"gl(?:sa|c)_[A-Za-z0-9+/=_]{32,512}"),
    _form("Supabase key", "sbp_ sb_secret_", r"sb(?:p_[a-f0-9]{40}|_secret_[A-Za-z0-9_-]{20,128})"),
    _form(
        "Cloud token",
        "FlyV1 nfp_ HRKU-",
        r"(?:FlyV1 fm[12]_[A-Za-z0-9+/=,_-]{60,2000}|nfp_\w{36,64}|HRKU-[\w-]{36,80})",
    ),
    _form("Tailscale key", "tskey-", r"tskey-[a-z]{3,12}-[A-Za-z0-9-]{16,128}"),
    _form("Terraform token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,128}"),
    _form("PlanetScale token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,128}"),
    _form("Doppler token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,128}"),
    _form("Postman key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    _form("New Relic key", "NRAK-", r"NRAK-[A-Z0-9]{27}"),
    _form("RubyGems key", "rubygems_", r"rubygems_[a-f0-9]{48}"),
    _form("NuGet key", "oy2", r"oy2[a-z0-9]{43}\b"),
    _form("Mailgun key", "key-", r"key-[a-f0-9]{32}\b"),
    _form("Square token", "sq0 EAAA", r"(?:sq0(?:csp|atp|idp)-[A-Za-z0-9_-]{22,64}|EAAA[A-Za-z0-9_-]{60})"),
    _form("Discord token", ".", r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}\b"),
)
