# Responses are not checked against their types.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import email.message
import hashlib
import hmac
import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timezone
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class ApiError(Exception):
    """An error response of the service, or a request that got no response (`status` 0)."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        errors: list[dict[str, str]],
        headers: Mapping[str, str] | email.message.Message,
    ):
        fields = "; ".join(f"{each['path']}: {each['message']}" for each in errors if each.get("path"))
        super().__init__(f"{status} {code}: {detail}" + (f" ({fields})" if fields else ""))
        self.status = status
        """HTTP status."""
        self.code = code
        """Stable code in snake_case."""
        self.detail = detail
        """One sentence for people."""
        self.errors = errors
        """Each problem of the request: `path` (dotted; empty for the request as a whole) and `message`."""
        self.request_id = headers.get("X-Request-Id")
        """Id of the request in the logs of the service."""
        retry_after = headers.get("Retry-After", "")
        self.retry_after_s = int(retry_after) if retry_after.isdigit() else None
        """Seconds after which a retry may succeed."""


def pages(list_page: Callable[..., Any], *ids: str, **filters: Any) -> Iterator[Any]:
    """Yields the items of all pages of a list: `for call in pages(client.list_calls, search="Bo")`."""
    cursor: str | None = None
    while True:
        page = list_page(*ids, **filters, **({"cursor": cursor} if cursor else {}))
        yield from page["results"]
        query = urllib.parse.urlsplit(page.get("next") or "").query
        cursor = dict(urllib.parse.parse_qsl(query)).get("cursor")
        if not cursor:
            return


def is_webhook_signed(body: bytes, headers: Mapping[str, str], secret: str, max_age_s: float = 60) -> bool:
    """Whether a webhook request comes from the service. `body`: as received; `headers`: names in any case."""
    lower = _lower_case(headers)
    timestamp = lower.get("x-svc-webhook-timestamp", "")
    return _is_signed(body, timestamp, lower.get("x-svc-webhook-signature", ""), secret, max_age_s)


def is_tool_request_signed(headers: Mapping[str, str], secret: str, max_age_s: float = 60) -> bool:
    """Whether a request with a call's signature, such as one to a tool, comes from the service. `secret`: one of `sharedSecrets`."""
    lower = _lower_case(headers)
    call_id = lower.get("x-svc-call-id", "").encode()
    timestamp = lower.get("x-svc-signature-timestamp", "")
    return _is_signed(call_id, timestamp, lower.get("x-svc-signature", ""), secret, max_age_s)


def _lower_case(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _is_signed(message: bytes, timestamp: str, signatures: str, secret: str, max_age_s: float) -> bool:
    try:
        age_s = (datetime.now(timezone.utc) - datetime.fromisoformat(timestamp)).total_seconds()
    except (TypeError, ValueError):
        return False
    if abs(age_s) >= max_age_s:
        return False
    expected = hmac.new(secret.encode(), message + timestamp.encode(), hashlib.sha256).hexdigest()
    return any(hmac.compare_digest(expected.encode(), each.strip().encode()) for each in signatures.split(","))


def _segment(value: object) -> str:
    return urllib.parse.quote(str(value), safe="")


def _query(parameters: Mapping[str, Any]) -> str:
    pairs: list[tuple[str, str]] = []
    for name, value in parameters.items():
        if isinstance(value, Mapping):
            pairs += [(f"{name}[{key}]", str(each)) for key, each in value.items()]
        elif isinstance(value, (list, tuple)):
            pairs += [(name, str(each)) for each in value]
        elif isinstance(value, bool):
            pairs.append((name, "true" if value else "false"))
        elif value is not None:
            pairs.append((name, str(value)))
    return f"?{urllib.parse.urlencode(pairs)}" if pairs else ""


class _Redirects(urllib.request.HTTPRedirectHandler):
    """The API redirects only downloads, with 302. Redirects of proxies would turn a POST into a GET."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        if code == 302 and req.get_method() == "GET":
            return super().redirect_request(req, fp, code, msg, headers, newurl)
        detail = f"{req.get_method()} {req.full_url}: the server redirects to {newurl}: use its address as base_url"
        raise ApiError(code, "redirected", detail, [], headers)


class _Requests:
    def __init__(self, base_url: str, api_key: str, timeout_s: float = 30):
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key.strip()
        self._timeout_s = timeout_s
        self._opener = urllib.request.build_opener(_Redirects)

    def _send(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> bytes:
        request = urllib.request.Request(self._base_url + path + _query(query or {}), method=method)
        # Not sent to other hosts that a response redirects to.
        request.add_unredirected_header("X-API-Key", self._api_key)
        request.add_header("Accept", "application/json, */*;q=0.1")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        for name, value in (headers or {}).items():
            if value is not None:
                request.add_header(name, value)
        try:
            with self._opener.open(request, timeout=self._timeout_s) as response:
                return response.read()
        except urllib.error.HTTPError as error:
            with error:
                raise _api_error(error) from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise ApiError(0, "connection_failed", f"{method} {self._base_url}: {reason}", [], {}) from error

    def _json(self, method: str, path: str, **given: Any) -> Any:
        answer = self._send(method, path, **given)
        try:
            return json.loads(answer)
        except ValueError:
            detail = f"{method} {self._base_url}{path}: the response is not JSON: is base_url the service's address?"
            raise ApiError(0, "unexpected_response", detail, [], {}) from None


def _api_error(error: urllib.error.HTTPError) -> ApiError:
    try:
        answer = json.loads(error.read())
        return ApiError(error.code, answer["code"], answer["detail"], answer.get("errors", []), error.headers)
    except (ValueError, KeyError, TypeError):
        return ApiError(error.code, "unknown", error.reason or "no description", [], error.headers)
