"""The endpoint of the measurements, played to the real client."""

from steersman.models.clients import make_client
from steersman.models.retry import close_client
from steersman.models.scripted import call, reply
from support.fake_tools import FakeTool
from support.prepared_server import PreparedServer
from support.running import results, run
from support.scripted_server import calls_then_text, many_deltas


async def test_a_run_leaves_a_gap_behind_each_answer_but_the_last():
    with PreparedServer(*calls_then_text(3, "read_file", {}, "Done.")) as server:
        client = make_client("openai/any", {}, {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "any"})
        result = await run(client, FakeTool("read_file"))
        await close_client(client)
    assert (result.answer, len(results(result.messages)), len(server.gaps)) == ("Done.", 3, 3)
    assert server.body_sizes == sorted(server.body_sizes)
    assert all(gap > 0 for gap in server.gaps)


async def test_two_calls_of_one_answer_and_a_long_answer_come_whole():
    with PreparedServer(reply("a", call("add"), call("add")), many_deltas(5000, "word ")) as server:
        client = make_client("openai/any", {}, {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "any"})
        result = await run(client, FakeTool("add"))
        await close_client(client)
    assert (len(results(result.messages)), result.answer) == (2, "word " * 5000)
