import { Secret } from '@calls/foundation/schema/annotations';
import { Token } from '@calls/providers/setting-fields';
import { ends, Name, reading, type Dialect } from '@calls/providers/telephony/dialect';
import { textAt } from '@calls/providers/telephony/dialling';
import { defineTelephonyVendor, Identifier } from '@calls/providers/telephony/telephony-vendor';
import { Type } from 'typebox';

const L16 = { encoding: 'linear16', sampleRateHz: 16_000 } as const;

/** L16 at 16 kHz in both directions. */
const dialect: Dialect = {
  reads: {
    hello: reading('hello', Type.Object({ line: Name }), ({ line }) => ({
      type: 'start',
      start: { streamId: line, input: L16, output: L16 },
    })),
    sound: reading('sound', Type.Object({ data: Type.String() }), ({ data }) => ({
      type: 'audio',
      payload: data,
    })),
    played: reading('played', Type.Object({ name: Name }), ({ name }) => ({ type: 'played', mark: name })),
    bye: ends,
  },
  closesWhenDone: false,
  writes: () => ({
    chunkSamples: 1,
    audio: (data) => JSON.stringify({ event: 'sound', data }),
    mark: (name) => JSON.stringify({ event: 'mark', name }),
    clear: () => JSON.stringify({ event: 'clear' }),
  }),
};

/** A fictitious telephony vendor. */
export const tinCan = defineTelephonyVendor({
  key: 'telephony99',
  name: 'Tin Can',
  dialect,
  account: {
    fields: { canId: Identifier, stringToken: Secret(Token) },
    example: { canId: 'can-1', stringToken: 'token' },
    endpoint: { variable: 'TELEPHONY99_BASE_URL', url: 'https://api.tin-can.test' },
    dialling: {
      request: ({ identifiers, secrets, to, from, answerUrl }) => ({
        path: `/cans/${identifiers['canId'] ?? ''}/calls`,
        headers: { authorization: secrets['stringToken'] ?? '' },
        body: JSON.stringify({ to, from, answerUrl }),
      }),
      hangUp: ({ identifiers, secrets }, callId) => ({
        method: 'DELETE',
        path: `/cans/${identifiers['canId'] ?? ''}/calls/${callId}`,
        headers: { authorization: secrets['stringToken'] ?? '' },
      }),
      providerCallId: (answer) => textAt(answer, 'id'),
      refusal: (answer) => textAt(answer, 'error'),
    },
    signature: {
      headers: ['x-tin-can-token'],
      fits: (request, { stringToken }) => request.header('x-tin-can-token') === stringToken,
    },
    callIdField: 'CanCall',
    xml: { stream: (url) => `<String>${url}</String>`, sip: (uri) => `<Sip>${uri}</Sip>` },
    status: { over: { busy: 'busy' }, cause: { field: 'Cause', prefix: '' } },
  },
});
