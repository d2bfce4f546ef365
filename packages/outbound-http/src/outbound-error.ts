import { AppError, toError } from '@calls/foundation/errors';

/** Why a URL is refused. Reveals nothing about the resolved address except its kind. */
export type RefusalRule =
  | 'malformed_url'
  | 'scheme'
  | 'credentials'
  | 'downgrade'
  | 'private'
  | 'loopback'
  | 'link_local'
  | 'carrier_grade_nat'
  | 'metadata'
  | 'multicast'
  | 'unspecified'
  | 'reserved';

const ALLOWABLE = 'OUTBOUND_ALLOW_PRIVATE can allow it';
const REFUSALS: Readonly<Record<RefusalRule, string>> = {
  malformed_url: 'the URL is malformed',
  scheme: 'the URL has a scheme that is not allowed',
  credentials: 'the URL must not contain credentials',
  downgrade: 'a redirect leads from https to http',
  private: `the URL leads to a private address; ${ALLOWABLE}`,
  loopback: `the URL leads to a loopback address; ${ALLOWABLE}`,
  link_local: `the URL leads to a link-local address; ${ALLOWABLE}`,
  carrier_grade_nat: `the URL leads to a shared address; ${ALLOWABLE}`,
  metadata: 'the URL leads to a metadata service',
  multicast: 'the URL leads to a multicast address',
  unspecified: 'the URL leads to an unspecified address',
  reserved: 'the URL leads to a reserved address',
};

/**
 * A request to a customer's URL without a response, or with an unacceptable response: `outbound_refused`,
 * `outbound_timeout`, `outbound_too_large` or `outbound_failed`. Messages may be shown to the customer.
 */
export class OutboundError extends AppError {}

/** The guard refused the request before or instead of a connection. */
export class OutboundRefusal extends OutboundError {
  readonly rule: RefusalRule;

  constructor(rule: RefusalRule) {
    super('outbound_refused', REFUSALS[rule]);
    this.rule = rule;
  }
}

const MESSAGES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before the response was complete',
  EPROTO: 'the TLS handshake failed',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the host is unreachable',
  ERR_STREAM_PREMATURE_CLOSE: 'the connection was closed before the response was complete',
  ENOTFOUND: "the host's name is not known",
  ENODATA: "the host's name is not known",
};
/** Errors of the HTTP parser and of decompression, by the start of their codes. */
const MALFORMED: Readonly<Record<string, string>> = {
  HPE_: 'the response is not valid HTTP',
  Z_: 'the response cannot be decoded with its Content-Encoding',
  ERR__ERROR_: 'the response cannot be decoded with its Content-Encoding',
};
/** Errors that a retry cannot fix: an invalid request, or a response with malformed or too long headers. */
const LASTING = /^(?:ERR_INVALID_|ERR_HTTP_|ERR_UNESCAPED_|HPE_HEADER_OVERFLOW)/u;

/** Converts errors of sockets, TLS, the resolver and decoders to an OutboundError. */
export function asOutboundError(thrown: unknown): OutboundError {
  if (thrown instanceof OutboundError) return thrown;
  const error: NodeJS.ErrnoException = toError(thrown);
  const code = error.code ?? '';
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new OutboundError('outbound_too_large', 'the headers of the response are too large', {
      retryable: false,
      cause: error,
    });
  }
  const malformed = Object.keys(MALFORMED).find((start) => code.startsWith(start)) ?? '';
  const unknown = code === '' ? 'the request failed' : `the request failed (${code})`;
  const message = MESSAGES[code] ?? MALFORMED[malformed] ?? unknown;
  return new OutboundError('outbound_failed', message, { retryable: !LASTING.test(code), cause: error });
}
