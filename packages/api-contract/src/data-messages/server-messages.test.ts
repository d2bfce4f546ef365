import { describe, expect, it } from '@jest/globals';
import { readMessageSwitches } from './server-messages.ts';

const read = (query: string) => readMessageSwitches(new URLSearchParams(query));

describe('readMessageSwitches', () => {
  it('enables messages by their types and by their flags', () => {
    expect(
      read('experimentalMessages=debug,call_event&additionalMessages=toolUsed, user_started_speaking'),
    ).toEqual({
      flags: { debug: true, callEvent: true, toolUsed: true, userStartedSpeaking: true },
      unknown: [],
    });
    expect(read('token=a')).toEqual({ flags: {}, unknown: [] });
  });

  it.each([
    ['experimentalMessages=', []],
    ['experimentalMessages=,%20,', []],
    ['experimentalMessages=Debug', ['Debug']],
    ['experimentalMessages=%ff%5B%22debug%22%5D', ['\ufffd["debug"]']],
    ['experimentalMessages=__proto__,constructor,', ['__proto__', 'constructor']],
    [`additionalMessages=${'x'.repeat(100_000)}`, ['x'.repeat(64)]],
    [
      `additionalMessages=${Array.from({ length: 1000 }, (_, i) => i).join(',')}`,
      Array.from({ length: 8 }, (_, i) => String(i)),
    ],
  ])('ignores unknown names and returns a bounded list of them: %j', (query, unknown) => {
    expect(read(query.slice(0, 200_000))).toEqual({ flags: {}, unknown });
  });
});
