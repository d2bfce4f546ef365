import { CallError } from './call-error.ts';

/**
 * Throws a CallError in browsers without WebRTC, and in those older than the README lists. `joinCall` does the same: call
 * it before your server creates a call.
 */
export function checkBrowser(): void {
  if (!('RTCPeerConnection' in globalThis)) {
    throw new CallError('unsupported_browser', 'this browser has no WebRTC, or its settings turn WebRTC off');
  }
  if ('withResolvers' in Promise && 'any' in AbortSignal) return;
  throw new CallError('unsupported_browser', 'this browser is too old for calls: update it');
}
