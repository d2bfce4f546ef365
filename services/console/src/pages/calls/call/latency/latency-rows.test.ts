import { describe, expect, it } from '@jest/globals';
import type { Schemas } from '../../../../api/client.ts';
import { transcriptEntries } from '../transcript/transcript-entries.ts';
import { latencyRows, quantile } from './latency-rows.ts';

const TIMES = {
  speechEndMs: 4000,
  endpointMs: 384,
  transcriptMs: 450,
  decidedMs: 460,
  firstTokenMs: 700,
  firstAudioMs: 900,
  firstAudioSentMs: 940,
};

function latency(extras: Record<string, unknown> | null, type = 'turn_latency'): Schemas['CallEvent'] {
  return {
    callId: 'c',
    callStageId: 's',
    callTimestamp: '4.94s',
    severity: 'debug',
    type,
    text: '',
    extras,
    wallClockTimestamp: null,
  };
}

const partsOf = (given: Partial<Record<keyof typeof TIMES, number | null>>) =>
  latencyRows([latency({ ...TIMES, ...given })], [])[0]?.parts;

describe('turn latency', () => {
  it('is listed per turn with the transcript of the user', () => {
    const entries = transcriptEntries(
      [
        {
          role: 'MESSAGE_ROLE_USER',
          text: 'Is breakfast included?',
          timespan: { start: '2s', end: '4.5s' },
        },
        { role: 'MESSAGE_ROLE_USER', text: 'Later.', timespan: { start: '9s', end: '9.5s' } },
      ],
      [],
    );
    const [row, ...others] = latencyRows([latency(TIMES), latency(null, 'interrupted')], entries);
    expect(row).toMatchObject({
      atMs: 4940,
      words: 'Is breakfast included?',
      totalMs: 940,
      transcriptMs: 450,
    });
    expect(others).toEqual([]);
  });

  it('consists of stages that add up to the total', () => {
    expect(partsOf({})).toEqual({ endOfTurn: 460, model: 240, speech: 200, sending: 40 });
  });

  it('counts zero for stages that were ready before the end of the turn or have no time', () => {
    expect(partsOf({ firstTokenMs: 200, firstAudioMs: 420 })).toEqual({
      endOfTurn: 460,
      model: 0,
      speech: 0,
      sending: 480,
    });
    expect(partsOf({ firstTokenMs: null })).toEqual({ endOfTurn: 460, model: 0, speech: 440, sending: 40 });
  });

  it('is omitted when the event is incomplete', () => {
    expect(latencyRows([latency({ ...TIMES, decidedMs: 'soon' }), latency(null)], [])).toEqual([]);
  });

  it.each([
    [[], 0.5, null],
    [[7], 0.95, 7],
    [[30, 10, 20], 0.5, 20],
    [[4, 1, 3, 2], 1, 4],
  ])('has quantile for %j at %d: %j', (values, share, value) => {
    expect(quantile(values, share)).toBe(value);
  });
});
