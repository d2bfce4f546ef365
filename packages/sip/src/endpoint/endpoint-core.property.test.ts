import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { answerTo, OFFER, OURS, RawPeer, SDP_TYPE } from '../testing/raw-peer.ts';
import { rawRequest } from '../testing/simulated-network.ts';

const REQUESTS = ['INVITE', 'ACK', 'BYE', 'CANCEL', 'OPTIONS', 'UPDATE', 'NOTIFY', 'REGISTER'];

/** Fragments with a meaning in SIP, for mutations to put where they do not belong. */
const piece = fc.oneof(
  fc.constantFrom(
    '\r\n',
    ';tag=',
    '"',
    '<',
    '>',
    ',',
    ':',
    ' ',
    '\0',
    '99999',
    'sip:',
    '%',
    '\\',
    ';rport=x',
    'Route: <',
  ),
  fc.string({ maxLength: 10 }),
);
const edits = fc.array(fc.tuple(fc.nat(500), fc.nat(20), piece), { maxLength: 4 });

function mangled(text: string, changes: readonly (readonly [number, number, string])[]): string {
  return changes.reduce((all, [at, length, put]) => all.slice(0, at) + put + all.slice(at + length), text);
}

describe('EndpointCore', () => {
  it('never throws and leaves no timer behind, whatever a peer sends', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...REQUESTS), fc.nat(3), edits), { minLength: 1, maxLength: 8 }),
        fc.constantFrom('accept', 'reject', 'ring'),
        edits,
        async (said, reaction, changes) => {
          const peer = new RawPeer();
          const credentials = { username: 'a', password: 'b' };
          const call = await peer.call({ credentials, ringLimitMs: 20_000 });
          const response = answerTo(peer.requestOf('INVITE'), '200 OK', { body: OFFER });
          await peer.say(mangled(response, changes));
          for (const [method, cseq, mutations] of said) {
            const inDialog = peer.received.some((each) => each.kind === 'response' && each.status === 200);
            const text = inDialog ? peer.within(method, cseq) : rawRequest(method, [SDP_TYPE], OFFER);
            await peer.say(mangled(text, mutations));
            for (const invite of peer.us.invites.splice(0)) {
              if (reaction === 'accept') void invite.accept(OURS).catch(() => undefined);
              else if (reaction === 'reject') invite.reject(404, 'Not Found');
              else invite.ring();
            }
          }
          call.cancel();
          void peer.us.core.hangUpAll();
          await peer.expectNothingLeft();
          expect(await call.answered).toHaveProperty('kind');
        },
      ),
      { numRuns: 150 },
    );
  });
});
