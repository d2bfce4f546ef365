import { toError } from '@calls/foundation/errors';

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no program listens there',
  ECONNRESET: 'the connection was closed',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
  ENOTFOUND: 'the name does not exist',
  EAI_AGAIN: 'the name lookup failed temporarily',
  ETIMEDOUT: 'no response',
  TimeoutError: 'no response in time',
};

/** A description of a connection error. `code`: the system's error code, or ''. fetch wraps it in the error's cause. */
export function reasonOf(thrown: unknown): { text: string; code: string } {
  const error = toError(thrown);
  const { message, name } = error.cause instanceof Error ? error.cause : error;
  const code = codeOf(error.cause) || codeOf(error);
  const words = WORDS[code] ?? WORDS[name];
  if (words === undefined) return { text: message || code || error.message, code };
  return { text: code === '' ? words : `${words} (${code})`, code };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
