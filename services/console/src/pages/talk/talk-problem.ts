import { ApiProblem } from '../../api/api-problem.ts';

/** Why a call could not start or was lost, and what the user can do. */
export interface TalkProblem {
  readonly title: string;
  readonly detail: string;
  /** The original error; the form shows its details at the fields. */
  readonly cause: unknown;
}

/** `{said}` is replaced by the message of the browser SDK, which is shown alone if there is no detail. */
const BY_CODE: Readonly<Record<string, readonly [title: string, detail: string]>> = {
  insecure_page: [
    'No microphone on this page',
    'Microphones are only available to pages on https: and localhost. Open the console over https, or use text.',
  ],
  microphone_denied: [
    'The microphone is not allowed',
    'Allow the microphone for this page in the browser’s address bar, then try again. Or use text.',
  ],
  microphone_not_found: ['No microphone was found', 'Connect a microphone and try again, or use text.'],
  microphone_failed: [
    'The microphone doesn’t work',
    'Another program may be using the microphone. Close that program and try again, or use text.',
  ],
  unsupported_browser: [
    'This browser can’t make calls',
    'It does not fully support WebRTC. Use a current browser.',
  ],
  medium_not_available: ['WebRTC is not available on this server now', ''],
  media_not_connected: [
    'Audio can’t get through',
    'No media reaches the service’s media port from this browser, usually because of a firewall. Run “npm run doctor” on the server to find the cause.',
  ],
  connection_failed: [
    'The call can’t be reached',
    'This browser must be able to reach the server at its MEDIA_PUBLIC_URL: {said}. Run “npm run doctor” on the server to find the cause.',
  ],
  connection_blocked: ['The browser blocks the connection', ''],
  connection_lost: ['The connection was lost', 'It could not be restored in time.'],
  no_capacity: ['No room for another call', 'All of the service’s workers are full. Try again in a moment.'],
  already_joined: ['Another client is in this call', 'Start a new call.'],
  unknown_call: ['The call is over', 'It has ended, or no client joined it in time. Start a new call.'],
  free_time_exhausted: ['The free minutes are used up', ''],
};

export function talkProblem(thrown: unknown): TalkProblem {
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  return { ...problemOf(codeOf(thrown), said), cause: thrown };
}

/** Describes the error of a call that was joined. An unreachable service is then not a configuration problem. */
export function lossOf(error: Error & { code: string }): TalkProblem {
  const code = error.code === 'connection_failed' ? 'connection_lost' : error.code;
  return { ...problemOf(code, error.message), cause: error };
}

function problemOf(code: string, said: string): Pick<TalkProblem, 'title' | 'detail'> {
  const [title, detail] = BY_CODE[code] ?? ['The call could not be started', ''];
  return { title, detail: detail.replace('{said}', said) || said };
}

function codeOf(thrown: unknown): string {
  if (thrown instanceof ApiProblem) return thrown.code;
  const code: unknown = thrown instanceof Error && 'code' in thrown ? thrown.code : null;
  return typeof code === 'string' ? code : '';
}
