import { once } from 'node:events';
import { readMessageSwitches } from '@calls/api-contract/data-messages/server-messages';
import { serverWebSocketSpec } from '@calls/testkit/call-spec';
import { connectSockets, type SocketPair } from '@calls/testkit/socket-pair';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { InlineOpus } from '@calls/transports/opus/inline-opus';
import { createClientMedia, reportUnknownMessages, withSwitches } from './client-media.ts';

const DEBUG = { type: 'debug', message: 'a note' } as const;

let sockets: SocketPair;
beforeEach(async () => {
  sockets = await connectSockets();
});
afterEach(() => sockets[Symbol.dispose]());

/** The messages that a client receives when its join URL has this query and a debug message is sent. */
async function received(query: string): Promise<unknown[]> {
  const { client, socket } = sockets;
  const messages: unknown[] = [];
  client.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString())));
  const switches = readMessageSwitches(new URLSearchParams(query));
  const medium = withSwitches({ ...serverWebSocketSpec(), dataMessages: { debug: false } }, switches);
  const media = createClientMedia(null, new InlineOpus(), new VirtualClock());
  const transport = await media.open(
    { callId: 'c1', deadlineMs: 60_000, spec: { medium } },
    socket,
    () => undefined,
  );
  if (!transport) throw new Error('no medium');
  reportUnknownMessages(transport, switches);
  transport.send(DEBUG);
  const closed = once(client, 'close');
  void transport.close('hangup');
  await closed;
  return messages;
}

describe('join URL message types', () => {
  it('enable these messages on that connection, although the call disables them', async () => {
    expect(await received('experimentalMessages=debug')).toEqual([DEBUG]);
  });

  it('enable no messages when unknown', async () => {
    expect(await received('experimentalMessages=frob')).toEqual([]);
  });

  it('are reported in a debug message when unknown', async () => {
    expect(await received('additionalMessages=debug,frob,"x"')).toEqual([
      { type: 'debug', message: String.raw`the join URL contains unknown message types: "frob", "\"x\""` },
      DEBUG,
    ]);
  });
});
