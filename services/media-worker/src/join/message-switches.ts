import type { MediumSpec } from '@calls/api-contract/call-spec';
import type { MessageSwitches } from '@calls/api-contract/data-messages/server-messages';
import type { MediaTransport } from '@calls/conversation/ports/media-transport';

/** The medium of one connection, with the messages that its join URL switches on. */
export function withSwitches<M extends MediumSpec>(medium: M, { flags }: MessageSwitches): M {
  if (!('dataMessages' in medium)) return medium;
  return { ...medium, dataMessages: { ...medium.dataMessages, ...flags } };
}

/** Tells a client that gets `debug` messages which names in its join URL mean nothing. */
export function noteUnknown(transport: Pick<MediaTransport, 'send'>, { unknown }: MessageSwitches): void {
  if (unknown.length === 0) return;
  const names = unknown.map((name) => JSON.stringify(name)).join(', ');
  transport.send({ type: 'debug', message: `the join URL names messages that are not known: ${names}` });
}
