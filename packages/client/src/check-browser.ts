import { CallError } from './call-error.ts';

/** Throws a CallError in browsers older than those that the README lists. */
export function checkBrowser(): void {
  if ('withResolvers' in Promise && 'any' in AbortSignal) return;
  throw new CallError('unsupported_browser', 'this browser is too old for calls: update it');
}
