export type CallErrorCode =
  /** `joinUrl` is not a ws: or wss: URL. */
  | 'invalid_join_url'
  /** Another call is on: leave it first. */
  | 'already_in_call'
  /** There is no call to say it in. */
  | 'not_in_call'
  /** `leaveCall` was called meanwhile. */
  | 'left'
  /** This browser has no WebRTC, or only a part of it. */
  | 'unsupported_browser'
  /** Microphones are there for pages of https: and localhost only. */
  | 'insecure_page'
  | 'microphone_denied'
  | 'microphone_not_found'
  /** Another program uses it, or it does not work. */
  | 'microphone_failed'
  | 'speaker_failed'
  /** The join URL was not issued by this service, or has expired. */
  | 'bad_token'
  /** The call does not exist or has ended. */
  | 'unknown_call'
  /** The call was not created for WebRTC. */
  | 'wrong_medium'
  /** Another client is in the call. */
  | 'already_joined'
  | 'no_capacity'
  /** The service can't be reached, or no WebSocket be opened to it. */
  | 'connection_failed'
  /** The browser lets this page not connect there: its Content-Security-Policy does not, or it is of https: and the join URL of ws:. */
  | 'connection_blocked'
  /** The service was reached and broke off. */
  | 'connection_lost'
  /** Audio can't pass between here and the service: a firewall, most often. */
  | 'media_not_connected'
  /** What the service says can't be understood, or the other way round. */
  | 'signalling_failed'
  /** More messages than fit in the queue while the connection is down. */
  | 'too_many_messages'
  /** The implementation of a client tool threw; `cause` is what. */
  | 'tool_failed';

const WORTH_ANOTHER_TRY = new Set<CallErrorCode>([
  'already_joined',
  'connection_failed',
  'connection_lost',
  'media_not_connected',
  'microphone_failed',
  'no_capacity',
  'signalling_failed',
]);

export class CallError extends Error {
  override readonly name = 'CallError';
  readonly code: CallErrorCode;

  constructor(code: CallErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
  }

  /** Whether a retry may succeed without any change. */
  get retryable(): boolean {
    return WORTH_ANOTHER_TRY.has(this.code);
  }
}

export function toCallError(thrown: unknown, code: CallErrorCode): CallError {
  if (thrown instanceof CallError) return thrown;
  return new CallError(code, thrown instanceof Error ? thrown.message : String(thrown), thrown);
}
