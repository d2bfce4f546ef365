import { describe, expect, it } from '@jest/globals';
import { DRILL_MEDIA } from '../drill/callers/drill-caller.ts';
import { runUpgrade } from '../drill/upgrade/upgrade.ts';

const TEST_LIMIT_MS = 900_000;

describe('an upgrade from the previous release', () => {
  it(
    'ends no call, loses no data and accepts calls after each step',
    async () => {
      const { rows, callsBetween, problems } = await runUpgrade(
        {
          calls: 6,
          media: DRILL_MEDIA,
          size: { 'control-plane': 2, 'media-worker': 3, dispatcher: 2 },
          from: null,
          dataDir: null,
        },
        () => undefined,
      );
      expect(problems).toEqual([]);
      expect(rows.map(({ medium, endedEarly }) => ({ medium, endedEarly }))).toEqual(
        DRILL_MEDIA.map((medium) => ({ medium, endedEarly: 0 })),
      );
      expect(callsBetween).toBeGreaterThan(rows.length);
    },
    TEST_LIMIT_MS,
  );
});
