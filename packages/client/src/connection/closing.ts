import { CallError } from '../call-error.ts';

/** How a connection ended: the WebSocket close code (RFC 6455, section 7). */
export interface Closing {
  code: number;
  reason: string;
}

/** The call has ended; the reason is the call's end reason. */
export const ENDED = 1000;
/** Close code for failed media and cancelled joins; the call may continue. */
export const CLIENT_ABORTED = 4000;
/** The service had no media connection to the client within 15 s. */
export const NOT_CONNECTED = 4408;
/** The connection ended without a close frame; never sent by servers. */
export const ABNORMAL_CLOSURE = 1006;

/** Why a join was refused or a call lost. */
export function errorOfClosing({ code, reason }: Closing, wasOpen: boolean): CallError {
  switch (code) {
    case ENDED:
      return new CallError('unknown_call', `the call has ended${inBrackets(reason)}`);
    case 4401:
      return new CallError('bad_token', 'the join URL is not valid, or has expired');
    case 4404:
      return new CallError('unknown_call', 'call not found, or it has ended');
    case NOT_CONNECTED:
      return new CallError(
        'media_not_connected',
        'no media connection could be made: is UDP or TCP to the media port blocked?',
      );
    case 4409:
      return new CallError('already_joined', 'another client is in this call');
    case 4422:
      return new CallError(
        'wrong_medium',
        'the join URL is for another medium; create the call with the medium `webRtc`',
      );
    case 4503:
      return new CallError(
        'no_capacity',
        `the service has no capacity for the call now${inBrackets(reason)}`,
      );
    default:
      return wasOpen
        ? new CallError('connection_lost', `the connection was lost: ${code}${inBrackets(reason)}`)
        : new CallError('connection_failed', 'the service cannot be reached at the join URL');
  }
}

function inBrackets(reason: string): string {
  return reason === '' ? '' : ` (${reason})`;
}
