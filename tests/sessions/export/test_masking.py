"""Text that looks like a secret, and text that only looks as if it did. The secrets are made up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.sessions.export.masking import mask_secrets, mask_values

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
    "-----BEGIN " + "OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\nAAAA\n-----END OPENSSH PRIVATE KEY-----",
    "-----BEGIN " + "PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF",
]


@pytest.mark.parametrize("secret", SECRETS, ids=lambda secret: secret[:12])
@pytest.mark.parametrize("around", ["{}", "key: {}\n", '"{}"', "x({})", "{}, and more"])
def test_secrets_of_known_forms_are_masked_wherever_they_stand(secret: str, around: str):
    masked = mask_secrets(around.format(secret))
    assert "[masked: " in masked
    assert secret[8:24] not in masked


@pytest.mark.parametrize(
    ("text", "secret"),
    [
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
