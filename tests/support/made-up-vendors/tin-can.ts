import { Secret } from '@calls/api-contract/rest/resource';
import { Token } from '@calls/api-contract/vendors/fields';
import { defineTelephonyVendor, Identifier } from '@calls/api-contract/vendors/telephony/telephony-vendor';
import { textAt } from '@calls/control-plane/telephony/vendors/dial-dialect';
import type { TelephonyAdapter } from '@calls/control-plane/telephony/vendors/telephony-adapter';
import { ends, Name, reading, type Dialect } from '@calls/transports/telephony/dialect';
import { Type } from 'typebox';

/** A made-up telephony vendor. */
export const tinCan = defineTelephonyVendor({
  key: 'telephony99',
  name: 'Tin Can',
  account: {
    fields: { canId: Identifier, stringToken: Secret(Token) },
    example: { canId: 'can-1', stringToken: 'token' },
    endpoint: { variable: 'TELEPHONY99_BASE_URL', url: 'https://api.tin-can.test' },
  },
});

const L16 = { encoding: 'linear16', sampleRateHz: 16_000 } as const;

/** Its media streams: L16 at 16 kHz in both directions. */
export const tinCanDialect: Dialect = {
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

/** Its API for outgoing calls, and its webhooks. */
export const tinCanAdapter: TelephonyAdapter = {
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
  xml: { stream: (url) => `<String>${url}</String>`, sip: (uri) => `<Sip>${uri}</Sip>` },
  status: { over: { busy: 'busy' }, cause: 'Cause' },
};
