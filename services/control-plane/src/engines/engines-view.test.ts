import { describe, expect, it } from '@jest/globals';
import type { EngineRecord } from '@calls/api-contract/bus/engine-record';
import { enginesView } from './engines-view.ts';

const LATER = Date.parse('2026-03-02T10:00:00.000Z');

function engine(changed: Partial<EngineRecord> = {}): EngineRecord {
  return {
    role: 'languageModel',
    name: 'OpenAI-compatible',
    kind: 'hosted',
    model: 'qwen3',
    use: 'default',
    recentMs: [],
    succeededAtMs: null,
    failure: null,
    ...changed,
  };
}

describe('enginesView', () => {
  it('has no latency figures before the first request', () => {
    expect(enginesView([[engine()], undefined])).toEqual({
      mediaWorkers: 1,
      engines: [
        {
          role: 'languageModel',
          name: 'OpenAI-compatible',
          kind: 'hosted',
          model: 'qwen3',
          use: 'default',
          health: 'unknown',
          lastSuccess: null,
          lastFailure: null,
          lastFailureCode: null,
        },
      ],
    });
    expect(enginesView([])).toEqual({ mediaWorkers: 0, engines: [] });
  });

  it('merges the records of several workers, and sorts engines by role', () => {
    const stt = engine({ role: 'speechToText', model: null });
    const { mediaWorkers, engines } = enginesView([
      [engine({ recentMs: [300, 100], succeededAtMs: LATER - 1000 }), stt],
      [engine({ recentMs: [200, 900], succeededAtMs: LATER }), stt],
    ]);
    expect(mediaWorkers).toBe(2);
    expect(engines.map(({ role }) => role)).toEqual(['speechToText', 'languageModel']);
    expect(engines[1]).toMatchObject({
      health: 'ok',
      latencyMs: { p50: 200, p95: 900, count: 4 },
      lastSuccess: '2026-03-02T10:00:00.000Z',
    });
  });

  it('reports `failing` while the last request of a worker failed', () => {
    const failed = engine({ succeededAtMs: LATER - 1000, failure: { atMs: LATER, code: 'timeout' } });
    const recovered = engine({ succeededAtMs: LATER + 1, failure: { atMs: LATER, code: 'refused' } });
    expect(enginesView([[failed], [engine({ succeededAtMs: LATER + 5 })]]).engines).toMatchObject([
      { health: 'failing', lastFailure: '2026-03-02T10:00:00.000Z', lastFailureCode: 'timeout' },
    ]);
    expect(enginesView([[recovered]]).engines).toMatchObject([{ health: 'ok', lastFailureCode: 'refused' }]);
  });
});
