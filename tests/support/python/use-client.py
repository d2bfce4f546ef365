"""Uses the generated client as a program of a customer does. Prints what it saw as JSON."""

import http.server
import inspect
import json
import os
import threading
import typing

import calls_api
from calls_api import ApiError, Client, is_tool_request_signed, is_webhook_signed, pages

client = Client(os.environ["API_URL"], os.environ["API_KEY"])
seen: dict[str, typing.Any] = {}

agent = client.create_agent(
    {"name": "Ada", "callTemplate": {"systemPrompt": "You are Ada.", "medium": {"webRtc": {}}}}
)
seen["agent"] = client.get_agent(agent["agentId"])["name"]
calls = [client.start_agent_call(agent["agentId"], {"metadata": {"room": str(i)}}) for i in range(5)]
seen["joinUrl"] = calls[0]["joinUrl"]
seen["created"] = sorted(call["callId"] for call in calls)
seen["paged"] = sorted(call["callId"] for call in pages(client.list_calls, page_size=2, agent_ids=[agent["agentId"]]))
seen["filtered"] = [call["metadata"] for call in pages(client.list_calls, metadata={"room": "3"})]
seen["page"] = len(client.list_calls(page_size=2)["results"])
seen["empty"] = list(pages(client.list_call_messages, calls[0]["callId"]))
seen["schema"] = client.get_schema()["info"]["title"]

repeated = [client.start_call({"medium": {"webRtc": {}}}, idempotency_key="order-7") for _ in range(2)]
seen["repeated"] = len({call["callId"] for call in repeated})

client.update_agent(agent["agentId"], {"name": "Ada & Bo / 100 %"})
seen["renamed"] = [each["name"] for each in pages(client.list_agents, search="Bo / 100 %")]
seen["deleted"] = client.delete_api_key(client.create_api_key({"name": "spare"})["prefix"])


def error_of(act: typing.Callable[[], object]) -> dict[str, typing.Any]:
    try:
        act()
    except ApiError as error:
        waits = error.retry_after_s is not None
        return {"status": error.status, "code": error.code, "errors": error.errors, "text": str(error), "waits": waits}
    return {}


seen["invalid"] = error_of(lambda: client.start_call({"medium": {"serverWebSocket": {"inputSampleRate": 4000}}}))
seen["live"] = error_of(lambda: client.delete_call(os.environ["JOINED_CALL"]))
seen["unknown"] = error_of(lambda: client.get_call("../agents"))
seen["unauthorized"] = error_of(lambda: Client(os.environ["API_URL"], "wrong").list_calls())
seen["unreachable"] = error_of(lambda: Client(os.environ["CLOSED_URL"], "key", timeout_s=5).list_calls())



class Proxy(http.server.BaseHTTPRequestHandler):
    """Redirects to another host, serves a page, or breaks off."""

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        if "sip_logs" in self.path:
            self.send_response(302)
            self.send_header("Location", "/download")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Length", "20" if "broken" in self.path else "6")
        self.end_headers()
        self.wfile.write(b"<html>")

    def do_POST(self) -> None:
        self.send_response(301)
        self.send_header("Location", f"https://calls.test{self.path}")
        self.end_headers()


with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as proxy:
    threading.Thread(target=proxy.serve_forever).start()
    behind = Client(f"http://127.0.0.1:{proxy.server_port}", os.environ["API_KEY"] + "\n")
    seen["redirected"] = error_of(lambda: behind.start_call({"systemPrompt": "You are Ada."}))
    seen["html"] = error_of(lambda: behind.list_calls())
    seen["sipLogs"] = behind.get_call_sip_logs("a").decode()
    seen["broken"] = error_of(lambda: behind.get_call("broken"))
    proxy.shutdown()

body = b'{"event":"call.ended"}'
documented = {
    "X-Svc-Webhook-Timestamp": "2030-01-02T03:04:05.678+00:00",
    "X-Svc-Webhook-Signature": "31ad27aa66832c05c676251bdff90daf1b13e8d9e2fa62bffe877619c6d9c930",
}
secret = "a secret of the customer"
# Signed by the service; the first of two secrets is another one.
signed = json.loads(os.environ["SIGNED"])
forever = float("inf")
seen["signatures"] = {
    "documented": is_webhook_signed(body, documented, secret, max_age_s=forever),
    "current": is_webhook_signed(body, signed["current"], secret),
    "old": is_webhook_signed(body, signed["old"], secret),
    "otherBody": is_webhook_signed(body + b" ", documented, secret, max_age_s=forever),
    "otherSecret": is_webhook_signed(body, documented, secret + "!", max_age_s=forever),
    "unsigned": is_webhook_signed(body, {}, secret),
}
of_tool = {
    "X-Svc-Call-ID": "01a1fd5d-43f3-7500-a231-581540147dc0",
    "X-Svc-Signature-Timestamp": "2030-01-02T03:04:05.678+00:00",
    "X-Svc-Signature": "16d6f6af7758d0c8ac40704fb5fa53e8c2a952214daaaa2c67d67eaf0274dce1",
}
seen["callSignatures"] = {
    "documented": is_tool_request_signed(of_tool, secret, max_age_s=forever),
    "current": is_tool_request_signed(signed["ofCall"], secret),
    "old": is_tool_request_signed(of_tool, secret),
    "otherCall": is_tool_request_signed({**of_tool, "X-Svc-Call-ID": "another"}, secret, max_age_s=forever),
    "otherSecret": is_tool_request_signed(of_tool, secret + "!", max_age_s=forever),
    "unsigned": is_tool_request_signed({}, secret),
}

# Every type hint must name something that exists.
types = [each for each in vars(calls_api).values() if hasattr(each, "__required_keys__")]
methods = [method for name, method in inspect.getmembers(Client, inspect.isfunction) if not name.startswith("_")]
for each in [*types, *methods]:
    typing.get_type_hints(each)
seen["messages"] = [
    len(typing.get_args(eval(union, vars(calls_api)))) for union in (calls_api.ServerMessage, calls_api.ClientMessage)
]
seen["types"] = len(types)
seen["methods"] = len(methods)

print(json.dumps(seen))
