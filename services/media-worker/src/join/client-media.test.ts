import { once } from 'node:events';
import { readMessageSwitches } from '@calls/api-contract/data-messages/server-messages';
import { serverWebSocketSpec } from '@calls/testkit/call-spec';
import { connectSockets, type SocketPair } from '@calls/testkit/socket-pair';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { InlineOpus } from '@calls/transports/opus/inline-opus';
import { createClientMedia, noteUnknown, withSwitches } from './client-media.ts';

const DEBUG = { type: 'debug', message: 'a note' } as const;

let sockets: SocketPair;
beforeEach(async () => {
  sockets = await connectSockets();
});
afterEach(() => sockets[Symbol.dispose]());

/** What a client gets of a note, where its join URL has that query, before the end. */
async function received(query: string): Promise<unknown[]> {
  const { client, socket } = sockets;
  const messages: unknown[] = [];
  client.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString())));
  const switches = readMessageSwitches(new URLSearchParams(query));
  const medium = withSwitches({ ...serverWebSocketSpec(), dataMessages: { debug: false } }, switches);
  const media = createClientMedia(null, new InlineOpus(), new VirtualClock());
  const transport = await media.open(
    { callId: 'c1', overByMs: 60_000, spec: { medium } },
    socket,
    () => undefined,
  );
  if (!transport) throw new Error('no medium');
  noteUnknown(transport, switches);
  transport.send(DEBUG);
  const closed = once(client, 'close');
  void transport.close('hangup');
  await closed;
  return messages;
}

describe('messages that a join URL switches on', () => {
  it('come on that connection, although the call switches them off', async () => {
    expect(await received('experimentalMessages=debug')).toEqual([DEBUG]);
  });

  it('are none for names that are not known', async () => {
    expect(await received('experimentalMessages=frob')).toEqual([]);
  });

  it('come with a note of the names that are not known', async () => {
    expect(await received('additionalMessages=debug,frob,"x"')).toEqual([
      { type: 'debug', message: String.raw`the join URL contains unknown message types: "frob", "\"x\""` },
      DEBUG,
    ]);
  });
});
