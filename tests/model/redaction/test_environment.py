"""Which values of an environment count as secrets."""

from __future__ import annotations

import pytest

from lionstudio.model.redaction.environment import secrets_in
from lionstudio.model.redaction.redactor import Redactor

PLAIN, QUOTED = "p@ss/word:1", "p%40ss%2Fword%3A1"


def test_secrets_in_has_every_form_of_a_password_in_a_url() -> None:
    secrets = secrets_in({"DATABASE_URL": f"postgres://user:{QUOTED}@host/db", "PAGE": "https://example.org/a:b@c"})

    assert {PLAIN, QUOTED} <= secrets
    redacted = Redactor(secrets).text(f"decoded {PLAIN} encoded {QUOTED}")
    assert PLAIN not in redacted
    assert QUOTED not in redacted


def test_secrets_in_ignores_short_values_and_urls_without_a_password() -> None:
    assert secrets_in({"A_URL": "https://user@host/path", "B_URL": "https://u:short@host", "API_KEY": "short"}) == set()


@pytest.mark.parametrize(
    "name",
    [
        "GIT_AUTHOR_NAME",
        "GIT_AUTHOR_EMAIL",
        "KEYCLOAK_URL",
        "MONKEY_REPO",
        "TOKENIZER_MODEL",
        "COMPASS_SITE",
        "API_KEY_ID",
    ],
)
def test_secrets_in_compares_whole_words_of_a_name(name: str) -> None:
    assert secrets_in({name: "lion-7studio-x42k"}) == set()


@pytest.mark.parametrize(
    "name", ["PGPASSWORD", "DB_PASS", "apiKey", "MYSQL_PWD", "GITHUB_TOKEN", "SECRETKEY", "OAUTH2", "X_PAT"]
)
def test_secrets_in_knows_the_words_that_name_a_secret(name: str) -> None:
    assert secrets_in({name: "zk39dk29dkd9a"}) == {"zk39dk29dkd9a"}


@pytest.mark.parametrize(
    "value", ["postgres", "password123", "changeme!", "LionStudio", "billing-api", "12345678", "my-app"]
)
def test_secrets_in_leaves_out_what_ordinary_text_says(value: str) -> None:
    names = {"POSTGRES_PASSWORD": value, "AUTH_SERVICE": value, "DATABASE_URL": f"postgres://user:{value}@host/db"}

    assert secrets_in(names) == set()


def test_secrets_in_has_long_keys_that_consist_of_words() -> None:
    value = "not-a-known-shape-at-all"

    assert secrets_in({"OPENAI_API_KEY": value}) == secrets_in({"DB_PASSWORD": value}) == {value}
    assert secrets_in({"AUTH_SERVICE": value}) == set()


def test_redactor_masks_a_common_password_where_it_is_assigned() -> None:
    redacted = Redactor(secrets_in({"POSTGRES_PASSWORD": "postgres"})).text(
        "POSTGRES_PASSWORD=postgres for postgres-app"
    )

    assert redacted.startswith("POSTGRES_PASSWORD=[REDACTED:password:")
    assert redacted.endswith("for postgres-app")


def test_redactor_finds_a_short_known_value_as_a_whole_word_only() -> None:
    redactor = Redactor(["hunter42"])

    assert redactor.text("xhunter42 hunter421") == "xhunter42 hunter421"
    for text in ("is hunter42.", "user-hunter42", "%3Dhunter42", "\x1b[31mhunter42\x1b[0m", '{"a": "b\\nhunter42"}'):
        assert "hunter42" not in redactor.text(text), text
        assert "hunter42" not in redactor.stored(text), text
