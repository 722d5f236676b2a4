import pytest

from venire.errors import RunError
from venire.runs import assert_no_secrets, redact, secret_values

ENVIRON = {
    "OPENAI_API_KEY": "sk-sentinel-0123456789",
    "HF_TOKEN": "hf_sentinel_987",
    "MY_SECRET": "short",
    "HOME": "/home/someone-long",
}


def test_secrets_are_the_long_values_of_names_that_look_like_secrets():
    assert secret_values(ENVIRON) == ("sk-sentinel-0123456789", "hf_sentinel_987")
    assert secret_values({}) == ()


def test_redaction_blanks_secrets_and_passwords_in_addresses():
    text = "sk-sentinel-0123456789 at postgresql://me:pw@host/db, http://host:80/x"
    assert redact(text, secret_values(ENVIRON)) == "*** at postgresql://***@host/db, http://host:80/x"


def test_a_secret_that_holds_another_is_blanked_whole():
    secrets = secret_values({"A_KEY": "12345678", "B_KEY": "1234567890"})
    assert redact("1234567890", secrets) == "***"


def test_the_guard_names_the_variable_and_never_the_value():
    assert_no_secrets(["short", "/home/someone-long"], ENVIRON)
    with pytest.raises(RunError, match="OPENAI_API_KEY") as caught:
        assert_no_secrets(["fine", "x sk-sentinel-0123456789"], ENVIRON)
    assert "sk-sentinel" not in str(caught.value)
