"""Words found in messages, arguments, file names and titles; with FTS5 and without."""

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from steersman.agent.changes import ChangeSummary
from steersman.agent.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from steersman.sessions import search as search_module
from steersman.sessions.store import SessionStore
from support.session_store import Stores, append_all, call, turn


def without_fts5(connection: sqlite3.Connection) -> bool:
    del connection
    return False


@pytest.fixture(params=["indexed", "scanned"])
def store(stores: Stores, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> SessionStore:
    if request.param == "scanned":
        monkeypatch.setattr(search_module, "_make_index", without_fts5)
    return stores.open()


def session_with(store: SessionStore, *messages: Message, title: str = "untitled") -> str:
    session = store.create(title)
    append_all(store, session.id, list(messages))
    return session.id


def found(store: SessionStore, text: str) -> list[str]:
    return [hit.session.id for hit in store.search(text)]


def test_words_of_any_message_are_found(store: SessionStore):
    prompt = session_with(store, UserMessage("make it purple"))
    answer = session_with(store, UserMessage("x"), AssistantMessage("It is turquoise now."))
    result = session_with(store, UserMessage("x"), *turn(1, result="colour = magenta"))
    assert found(store, "purple") == [prompt]
    assert found(store, "turquoise") == [answer]
    assert found(store, "magenta") == [result]


def test_file_names_and_arguments_are_found(store: SessionStore):
    one = session_with(store, UserMessage("x"), AssistantMessage("", (call(1, arguments='{"path": "src/parser.py"}'),)))
    changed = ToolMessage("c1", "ok", changes=(ChangeSummary("/elsewhere/lexer.rs", "edit", 1, 1),))
    two = session_with(store, UserMessage("x"), AssistantMessage("", (call(1),)), changed)
    assert found(store, "parser.py") == [one]
    assert found(store, "lexer") == [two]


def test_titles_come_first(store: SessionStore):
    many = session_with(store, UserMessage("migrate migrate migrate migrate"))
    titled = session_with(store, UserMessage("x"), title="Migrate the database")
    assert found(store, "migrate") == [titled, many]
    assert store.search("migrate")[0].line == "Migrate the database"
    assert store.search("migrate")[0].seq is None


def test_all_the_words_must_be_there(store: SessionStore):
    both = session_with(store, UserMessage("alpha and beta"))
    session_with(store, UserMessage("alpha only"))
    assert found(store, "beta alpha") == [both]


def test_a_phrase_stays_together(store: SessionStore):
    session_with(store, UserMessage("beta before alpha"))
    together = session_with(store, UserMessage("the alpha beta test"))
    assert found(store, '"alpha beta"') == [together]


def test_the_beginning_of_a_word_is_enough(store: SessionStore):
    one = session_with(store, UserMessage("refactoring"))
    assert found(store, "refactor") == [one]


def test_a_hit_tells_where_and_shows_the_line(store: SessionStore):
    text = "first line\nthe needle is here\nlast line"
    session_with(store, UserMessage("x"), AssistantMessage(text), UserMessage("needle again"))
    (hit,) = store.search("needle is")
    assert (hit.seq, hit.role, hit.line) == (1, "assistant", "the needle is here")


def test_the_best_few_are_the_first_of_all(store: SessionStore, monkeypatch: pytest.MonkeyPatch):
    """A search that stops early, because nothing better can come, finds what one to the end would."""
    monkeypatch.setattr(search_module, "_LOOK_EVERY", 1)
    chance = random.Random(5)
    for _ in range(30):
        texts = [" ".join(["needle"] * chance.randrange(1, 4) + ["hay"] * chance.randrange(40)) for _ in range(3)]
        session_with(store, UserMessage(texts[0]), AssistantMessage(texts[1], (call(1),)), ToolMessage("c1", texts[2]))
    everything = store.search("needle", limit=None)
    for limit in (0, 1, 3, 10, 29, 30, 99):
        assert store.search("needle", limit=limit) == everything[:limit]


@pytest.mark.parametrize(
    "query", ["->", "--", "%", "_", "*", "(", "NEAR(", "a AND", '"', "'", "^x", "{", "col:x", "\\", ""]
)
def test_any_signs_are_a_query_and_never_an_error(store: SessionStore, query: str):
    session_with(store, UserMessage("nothing of that"))
    store.search(query)


def test_signs_are_found_literally(store: SessionStore):
    arrow = session_with(store, UserMessage("x -> y"))
    session_with(store, UserMessage("x > y"))
    percent = session_with(store, UserMessage("100% sure"))
    assert found(store, "->") == [arrow]
    assert found(store, "%") == [percent]


def test_languages_without_spaces_are_found_in_mid_sentence(store: SessionStore):
    japanese = session_with(store, UserMessage("設定ファイルを検索してください"))
    thai = session_with(store, UserMessage("แก้ไขไฟล์การตั้งค่า"))
    assert found(store, "検索") == [japanese]
    assert found(store, "ไฟล์") == [thai]


def test_accents_do_not_matter(store: SessionStore):
    """The scan compares letter by letter, so this holds for the index and for titles."""
    one = session_with(store, UserMessage("x"), title="Crème brûlée")
    assert found(store, "creme brulee") == [one]


def test_a_list_with_a_query_is_newest_first(store: SessionStore):
    older = session_with(store, UserMessage("needle needle needle"))
    newer = session_with(store, UserMessage("one needle"))
    session_with(store, UserMessage("hay"))
    page = store.list("needle")
    assert [each.id for each in page.sessions] == [newer, older]
    assert page.total == 2
    page = store.list("needle", limit=1, offset=1)
    assert [each.id for each in page.sessions] == [older]
    assert page.total == 2


def test_a_blank_query_lists_everything(store: SessionStore):
    session_with(store, UserMessage("x"))
    assert store.list("  ").total == 1


def test_deleted_sessions_are_found_no_more(store: SessionStore):
    gone, stays = (session_with(store, UserMessage(f"needle {n}")) for n in range(2))
    assert set(found(store, "needle")) == {gone, stays}
    store.delete(gone)
    assert found(store, "needle") == [stays]
    newer = session_with(store, UserMessage("needle 3"))
    assert set(found(store, "needle")) == {stays, newer}


def test_messages_that_were_rewound_are_found_no_more(store: SessionStore):
    session_id = session_with(store, UserMessage("start"), AssistantMessage("needle"))
    with store.acquire(session_id, "test") as handle:
        plan = handle.plan_rewind(0)
        handle.finish_rewind("w1", plan, {})
    assert found(store, "needle") == []
    assert found(store, "start") == [session_id]


def test_long_queries_and_texts_are_taken(store: SessionStore):
    one = session_with(store, UserMessage("word " * 200_000 + "needle"))
    assert found(store, "needle " + "word " * 1000) == [one]


class TestIndex:
    def test_it_catches_up_with_what_was_recorded_since(self, stores: Stores):
        store = stores.open()
        one = session_with(store, UserMessage("needle"))
        assert found(store, "needle") == [one]
        append_all(store, one, [AssistantMessage("thread")])
        assert found(store, "thread") == [one]
        assert found(stores.open(), "thread") == [one]

    def test_it_catches_up_in_pieces(self, stores: Stores, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(search_module, "_BATCH", 3)
        store = stores.open()
        monkeypatch.setattr(search_module, "_BATCH_CHARS", 20)
        made = [session_with(store, UserMessage(f"needle {number}")) for number in range(10)]
        assert set(found(store, "needle")) == set(made)

    def test_at_the_end_of_a_run_it_takes_in_what_is_quickly_done(self, stores: Stores):
        store = stores.open()
        one = session_with(store, *(UserMessage(f"needle {number} " + "x" * 50_000) for number in range(10)))
        with store._database.reading() as connection:
            indexed = int(connection.execute("SELECT value FROM meta WHERE name = 'indexed_upto'").fetchone()[0])
        assert 3 <= indexed <= 5
        assert found(store, '"needle 9"') == [one]

    def test_nothing_of_a_deleted_session_stays_in_the_index(self, stores: Stores):
        store = stores.open()
        gone = session_with(store, UserMessage("secretword"))
        found(store, "secretword")
        store.delete(gone)
        with store._database.maintaining() as connection:
            connection.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab('message_index', 'row')")
            assert connection.execute("SELECT term FROM vocabulary WHERE term = 'secretword'").fetchall() == []
            connection.execute("DROP TABLE vocabulary")

    def test_an_index_that_this_sqlite_cannot_read_is_built_anew_by_one_that_can(
        self, stores: Stores, hide_fts5: "Callable[[SessionStore], object]"
    ):
        """Two Pythons on one machine, one with FTS5 and one without."""
        store = stores.open()
        gone, stays = (session_with(store, UserMessage(f"needle {n}")) for n in range(2))
        assert len(found(store, "needle")) == 2
        hide_fts5(store)
        store.delete(gone)
        assert found(store, "needle") == [stays]
        assert found(stores.open(), "needle") == [stays]


@pytest.fixture
def hide_fts5(monkeypatch: pytest.MonkeyPatch) -> Callable[[SessionStore], object]:
    """Make a store's connection refuse the index, as a SQLite without the module does."""

    class Without:
        def __init__(self, connection: sqlite3.Connection) -> None:
            self._connection = connection
            self.total_changes = connection.total_changes

        def execute(self, sql: str, *values: object) -> sqlite3.Cursor:
            if "message_index" in sql and "sqlite_master" not in sql:
                raise sqlite3.OperationalError("no such module: fts5")
            return self._connection.execute(sql, *values)

    def hide(store: SessionStore) -> None:
        real = store._database.writing

        @contextmanager
        def writing(*, durable: bool = False) -> Iterator[Without]:
            with real(durable=durable) as connection:
                yield Without(connection)

        monkeypatch.setattr(store._database, "writing", writing)

    return hide


def test_calls_with_odd_arguments_are_recorded_and_found(store: SessionStore):
    message = AssistantMessage("", (ToolCall("c1", "edit_file", '{"path": "a\\u0000needle.py"'),))
    one = session_with(store, UserMessage("x"), message)
    assert found(store, "edit_file") == [one]
