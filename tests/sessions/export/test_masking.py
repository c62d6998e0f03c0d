"""Text that looks like a secret, and text that only looks as if it did. The secrets are made up."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from steersman.sessions.export import FORMATS, export_session
from steersman.sessions.export.masking import mask_json, mask_secrets, mask_values
from steersman.sessions.export.secret_forms import FORMS
from steersman.sessions.store import SessionStore

LETTERS = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"

SECRETS = [
    "sk-" + "ant-api03-" + LETTERS,
    "sk-" + "proj-" + LETTERS,
    "sk-" + LETTERS,
    "sk_" + "live_" + LETTERS,
    "AKIA" + "IOSFODNN7EXAMPLE",
    "ghp_" + LETTERS,
    "github_" + "pat_" + LETTERS,
    "glpat-" + LETTERS[:20],
    "xoxb-" + "1234567890-" + LETTERS,
    "https://hooks." + "slack.com/services/T000/B000/" + LETTERS,
    "AIza" + (LETTERS * 2)[:35],
    "hf_" + LETTERS,
    "npm_" + LETTERS,
    "pypi-" + LETTERS * 2,
    "dop_v1_" + "a1" * 32,
    "SG." + LETTERS[:22] + "." + LETTERS,
    "123456789:AA" + LETTERS[:33],
    "gsk_" + LETTERS * 2,
    "hvs." + LETTERS,
    "AGE-SECRET-KEY-1" + LETTERS.upper(),
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    "PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\nAAAAIJ\nPrivate-MAC: " + "0a" * 32,
    "sk-" + "or-v1-" + "0a" * 32,
    "xapp-1-" + LETTERS,
    "GOCSPX-" + LETTERS,
    "ya29." + LETTERS,
    "1//0" + LETTERS,
    "dckr_pat_" + LETTERS[:27],
    "SK" + "0a" * 16,
    "xai-" + LETTERS * 2,
    "r8_" + LETTERS,
    "shpat_" + "0a" * 16,
    "sntrys_" + LETTERS * 2,
    "lin_api_" + LETTERS,
    "dapi" + "0a" * 16,
    "whsec_" + LETTERS,
    "ABSK" + LETTERS * 3,
    "abc8Q~" + LETTERS[:34],
    "sig=" + LETTERS + "%2Babcd%3D",
    "xoxe.xoxp-1-" + LETTERS,
    "ATATT3" + LETTERS * 3,
    "ntn_" + LETTERS * 2,
    "figd_" + LETTERS,
    "pplx-" + LETTERS * 2,
    "nvapi-" + LETTERS * 2,
    "csk-" + LETTERS.lower() * 2,
    "tgp_v1_" + LETTERS,
    "pcsk_" + LETTERS * 2,
    "lsv2_pt_" + "0a" * 16 + "_" + "0a" * 5,
    "glsa_" + LETTERS,
    "sb_secret_" + LETTERS,
    "nfp_" + LETTERS,
    "tskey-auth-" + LETTERS,
    LETTERS[:14] + ".atlasv1." + LETTERS * 2,
    "pscale_tkn_" + LETTERS,
    "dp.pt." + LETTERS * 2,
    "PMAK-" + "0a" * 12 + "-" + "0a" * 17,
    "NRAK-" + LETTERS.upper()[:27],
    "rubygems_" + "0a" * 24,
    "oy2" + LETTERS.lower() + LETTERS.lower()[:7],
    "key-" + "0a" * 16,
    "sq0csp-" + LETTERS,
    "MTIzNDU2Nzg5MDEyMzQ1Njc4." + "GabcDe." + LETTERS,
    "-----BEGIN " + "OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\nAAAA\n-----END OPENSSH PRIVATE KEY-----",
    "-----BEGIN " + "PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF",
]


@pytest.mark.parametrize("secret", SECRETS, ids=lambda secret: secret[:12])
@pytest.mark.parametrize("around", ["{}", "key: {}\n", '"{}"', "x({})", "{}, and more"])
def test_secrets_of_known_forms_are_masked_wherever_they_stand(secret: str, around: str):
    masked = mask_secrets(around.format(secret))
    assert "[masked: " in masked
    assert secret[8:24] not in masked


def test_every_known_form_is_tried_here():
    seen = {form.name for form in FORMS for secret in SECRETS if form.pattern.search(secret)}
    assert seen == {form.name for form in FORMS}


@pytest.mark.parametrize("secret", SECRETS, ids=lambda secret: secret[:12])
@pytest.mark.parametrize("before", ["\n", "\t", '"', "=", "é", "\u2028"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_secrets_in_a_call_s_arguments_are_masked_however_they_are_escaped(secret: str, before: str, ascii_only: bool):
    inner = json.dumps({"text": f"first{before}{secret}\nlast"}, ensure_ascii=ascii_only)
    twice = json.dumps({"content": inner}, ensure_ascii=ascii_only)
    slashes = inner.replace("/", "\\/")
    spelled = inner.replace(secret[:1], f"\\u{ord(secret[0]):04x}") if secret[0] not in "first txlae" else inner
    for arguments in (inner, twice, slashes, spelled):
        masked = mask_json(arguments, mask_secrets)
        assert "[masked: " in masked
        assert secret[8:24] not in masked.replace("\\/", "/")
        json.loads(masked)


def test_arguments_without_a_secret_stay_as_they_were_written():
    for arguments in ('{"a" : 1}', "not json", "", '{"path": "a\\/b"}', "[" * 100_000):
        assert mask_json(arguments, mask_secrets) == arguments


@pytest.mark.parametrize("format_name", FORMATS)
def test_no_export_carries_a_secret_away_unless_asked(
    store: SessionStore, session_of: Callable[..., str], format_name: str
):
    """In the title, a prompt, what the editor sent along, reasoning, arguments, a diff, a result."""
    token = "ghp_" + LETTERS
    arguments = json.dumps({"path": "a.env", "old_text": "A=1\n", "new_text": f"A=1\n{token}\nB=2\n"})
    calls = (ToolCall("c1", "edit_file", arguments), ToolCall("c2", "run_command", json.dumps({"command": token})))
    session = session_of(
        UserMessage(f"use {token}\n\n<context>\nSelected:\n{token}\n</context>"),
        AssistantMessage(f"I use\n{token}", calls, reasoning=token),
        ToolMessage("c1", f"wrote\t{token}"),
        ToolMessage("c2", json.dumps({"out": f"\n{token}"})),
        title=f"with {token}",
    )
    masked = export_session(store, session, format_name)
    assert token not in masked
    assert masked.count("[masked: GitHub token]") >= 7
    kept = export_session(store, session, format_name, mask_secrets=False)
    assert kept.count(token) >= 7
    assert "[masked" not in kept


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("DefaultEndpointsProtocol=https;AccountName=x;AccountKey=Eby8vdM02xNOcqFlqUwJPL/K==;", "Eby8vdM02xNO"),
        ("Endpoint=sb://x/;SharedAccessKeyName=y;SharedAccessKey=Eby8vdM02xNOcqFlqUwJ=", "Eby8vdM02xNO"),
        ('password = "hunter22"', "hunter22"),
        ("DB_PASSWORD=only-letters", "only-letters"),
        ("export API_TOKEN=abcdefgh\n", "abcdefgh"),
        ('{"api_key": "q9w8e7r6t5y4"}', "q9w8e7r6t5y4"),
        (r'{"content": "{\"token\": \"a1b2c3d4e5f6\"}"}', "a1b2c3d4e5f6"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfi", "wJalrXUtnFEMI"),
        ("Authorization: Bearer abc.def-123456", "abc.def-123456"),
        ("curl -H 'authorization: Basic dXNlcjpwYXNz'", "dXNlcjpwYXNz"),
        ("postgres://bob:s3cr3t@db.example/x", "s3cr3t"),
        ("client-secret => 'p4ss!phrase'", "p4ss!phrase"),
    ],
)
def test_values_that_are_assigned_to_something_secret_are_masked(text: str, secret: str):
    masked = mask_secrets(text)
    assert secret not in masked
    assert "[masked: " in masked


@pytest.mark.parametrize(
    "text",
    [
        "password = get_password()",
        "token = tokenizer.next_token()",
        "max_tokens: 4096, input_tokens=12345678",
        "const token: string = 'x'",
        "class AuthService: ...",
        'secret = os.environ["SECRET"]',
        'api_key = "your-key-here"',
        "password: ********",
        "API_KEY=${API_KEY}",
        "https://example.org/path?x=1",
        "git@github.com:owner/name.git",
        "task-management-for-small-teams-and-people",
        "sk-learn and risk-assessment-of-something-long",
        "0123456789abcdef0123456789abcdef01234567",
        "[masked: secret]",
    ],
)
def test_code_that_only_deals_with_secrets_stays(text: str):
    assert mask_secrets(text) == text


@given(st.text(max_size=200))
def test_masking_twice_changes_nothing_more(text: str):
    assert mask_secrets(mask_secrets(text)) == mask_secrets(text)


@given(st.text(max_size=60), st.sampled_from(SECRETS), st.text(max_size=60))
def test_a_secret_between_any_texts_is_masked(before: str, secret: str, after: str):
    assert secret not in mask_secrets(f"{before}\n{secret}\n{after}")


@pytest.mark.parametrize(
    "piece",
    [
        "token",
        "sk-",
        "://a:",
        "-----BEGIN PRIVATE KEY-----",
        "eyJ",
        "eyJa.eyJb.",
        "password='",
        "AUTH=",
        "authorization: ",
        "MAAAAAAAAAAAAAAAAAAAAAAAAA.",
        "a.8Q~",
        "\\n",
        "sig=",
    ],
)
def test_any_amount_of_anything_is_masked_in_time(piece: str):
    """Patterns that go back and forth would take minutes here; the test's own time limit would end it."""
    mask_secrets(piece * (1_000_000 // len(piece)))


def test_every_text_of_a_value_is_masked():
    key = SECRETS[0]
    assert mask_values({"a": [key, 1, None], key: {"b": key}}, mask_secrets) == {
        "a": ["[masked: Anthropic key]", 1, None],
        "[masked: Anthropic key]": {"b": "[masked: Anthropic key]"},
    }
