import { reconnectDelayMs } from '@calls/foundation/backoff';
import { delay, type Clock } from '@calls/foundation/clock';
import { OutboundError } from '@calls/outbound-http/outbound-error';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import type { DialDialect, DialRequest, HangUpRequest } from '@calls/providers/telephony/dialling';

/**
 * `taken`: the provider accepted the call. `refused`: it did not; `said` is the provider's message.
 * `unclear`: the connection failed before the response, so the phone may still ring.
 */
export type RequestOutcome =
  | { kind: 'accepted'; providerCallId: string | null }
  | { kind: 'refused'; reason: string; said: string | null }
  | { kind: 'unclear'; reason: string };

export interface DialRequestDeps {
  outbound: Pick<OutboundHttp, 'request'>;
  clock: Clock;
}

/** Time limit for all attempts and the pauses between them. It is below the caller's time limit. */
const LIMIT_MS = 12_000;
const HANG_UP_LIMIT_MS = 5000;
/** Another attempt needs at least this time. */
const MIN_TRY_MS = 2000;
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Errors before anything was sent: host or certificate lookup failed. */
const NOT_SENT =
  /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|ENODATA|CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/u;
/** A gateway in front of the provider timed out. */
const GATEWAY_ERRORS = new Set([502, 504]);

/**
 * Requests a phone call. Retries, because providers count calls over several seconds, but only while the provider certainly
 * did not accept the call.
 */
export async function requestPhoneCall(
  { outbound, clock }: DialRequestDeps,
  { baseUrl, request, dialect }: { baseUrl: string; request: DialRequest; dialect: DialDialect },
): Promise<RequestOutcome> {
  const untilMs = clock.nowMs() + LIMIT_MS;
  const { path, ...parts } = request;
  const url = urlOf(baseUrl, path);
  for (let failures = 1; ; failures += 1) {
    const timeoutMs = untilMs - clock.nowMs();
    const outcome = await attempt(outbound, { ...parts, url, timeoutMs }, dialect);
    if (outcome.kind !== 'not_accepted') return outcome;
    const { reason, said, retryAfter } = outcome;
    const pauseMs = retryPauseMs({ failures, retryAfter, leftMs: untilMs - clock.nowMs() });
    if (pauseMs === null) return { kind: 'refused', reason, said };
    await delay(clock, pauseMs);
  }
}

/** Requests the end of a phone call. Retries after 429. Returns the last status. Rejects with an OutboundError. */
export async function requestHangUp(
  { outbound, clock }: DialRequestDeps,
  { baseUrl, request }: { baseUrl: string; request: HangUpRequest },
): Promise<number> {
  const untilMs = clock.nowMs() + HANG_UP_LIMIT_MS;
  const { path, ...parts } = request;
  for (let failures = 1; ; failures += 1) {
    const limits = { timeoutMs: untilMs - clock.nowMs(), maxResponseBytes: MAX_RESPONSE_BYTES };
    const response = await outbound.request({ ...parts, ...limits, url: urlOf(baseUrl, path) });
    response.close();
    const { status, headers } = response;
    const attempt = { failures, retryAfter: headers['retry-after'], leftMs: untilMs - clock.nowMs() };
    const pauseMs = status === TOO_MANY_REQUESTS ? retryPauseMs(attempt) : null;
    if (pauseMs === null) return status;
    await delay(clock, pauseMs);
  }
}

function urlOf(baseUrl: string, path: string): string {
  return `${baseUrl.replace(/\/+$/u, '')}${path}`;
}

const TOO_MANY_REQUESTS = 429;

/** Pause before the next attempt: it grows, and is at least that of Retry-After. Null if no time is left for another one. */
function retryPauseMs({ failures, retryAfter, leftMs }: FailedAttempt): number | null {
  // A date instead of seconds is ignored.
  const pauseMs = Math.max(reconnectDelayMs(failures, Math.random()), (Number(retryAfter) || 0) * 1000);
  return leftMs - pauseMs < MIN_TRY_MS ? null : pauseMs;
}

interface FailedAttempt {
  /** Number of failures in a row. */
  failures: number;
  retryAfter: string | undefined;
  /** Time left for pauses and attempts. */
  leftMs: number;
}

type AttemptOutcome =
  | RequestOutcome
  | { kind: 'not_accepted'; reason: string; said: string | null; retryAfter: string | undefined };

async function attempt(
  outbound: DialRequestDeps['outbound'],
  { url, headers, body, timeoutMs }: Omit<DialRequest, 'path'> & { url: string; timeoutMs: number },
  dialect: DialDialect,
): Promise<AttemptOutcome> {
  let status: number;
  let retryAfter: string | undefined;
  let content: unknown;
  try {
    const response = await outbound.request({
      method: 'POST',
      url,
      headers,
      body,
      timeoutMs,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    });
    status = response.status;
    retryAfter = response.headers['retry-after'];
    content = await response.bytes().then(parsed, () => null);
  } catch (thrown) {
    return unanswered(thrown);
  }
  if (status >= 200 && status < 300)
    return { kind: 'accepted', providerCallId: dialect.providerCallId(content) };
  const reason = `the response status was ${status}`;
  if (GATEWAY_ERRORS.has(status)) return { kind: 'unclear', reason };
  const said = dialect.refusal(content);
  return status === TOO_MANY_REQUESTS
    ? { kind: 'not_accepted', reason, said, retryAfter }
    : { kind: 'refused', reason, said };
}

function unanswered(thrown: unknown): AttemptOutcome {
  if (!(thrown instanceof OutboundError)) throw thrown;
  const reason = thrown.message;
  const { cause } = thrown;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
  if (NOT_SENT.test(code)) return { kind: 'not_accepted', reason, said: null, retryAfter: undefined };
  return thrown.retryable ? { kind: 'unclear', reason } : { kind: 'refused', reason, said: null };
}

/** Undefined if it is not JSON. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
