export type CallErrorCode =
  /** `joinUrl` is not the ws: or wss: URL with which a client joins a call. */
  | 'invalid_join_url'
  /** The session is in another call: leave it first. */
  | 'already_in_call'
  /** The session is in no call. */
  | 'not_in_call'
  /** `leaveCall` was called before the call was joined. */
  | 'left'
  /** The browser lacks WebRTC or parts of it, or is too old. */
  | 'unsupported_browser'
  /** Browsers open the microphone only for pages on https: and localhost. */
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
  /** No WebSocket to the service could be opened. */
  | 'connection_failed'
  /** The browser blocks the connection: the page's Content-Security-Policy forbids it, or the page has https: and the join URL ws:. */
  | 'connection_blocked'
  /** The connection to the service was lost. */
  | 'connection_lost'
  /** No audio connection to the service: usually a firewall. */
  | 'media_not_connected'
  /** The SDK or the service could not process a signalling message. */
  | 'signalling_failed'
  /** The connection is down, and the queue of messages is full. */
  | 'too_many_messages'
  /** The service would drop a message of this size. */
  | 'message_too_large'
  /** The implementation of a client tool threw `cause`. */
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
