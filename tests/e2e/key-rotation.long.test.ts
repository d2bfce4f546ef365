import { describe, expect, it } from '@jest/globals';
import { DRILL_MEDIA } from '../drill/callers/drill-caller.ts';
import { runKeyRotation } from '../drill/key-rotation.ts';

const TEST_LIMIT_MS = 900_000;

describe('a rotation of JOIN_TOKEN_SECRET and ENCRYPTION_KEY', () => {
  it(
    'ends no call, loses no secret, and rejects tokens of the removed secret',
    async () => {
      const { rows, problems } = await runKeyRotation(
        {
          calls: 4,
          media: DRILL_MEDIA,
          size: { 'control-plane': 2, 'media-worker': 3, dispatcher: 2 },
          dataDir: null,
        },
        () => undefined,
      );
      expect(problems).toEqual([]);
      const media = [...DRILL_MEDIA, ...DRILL_MEDIA];
      expect(rows.map(({ medium, endedEarly }) => ({ medium, endedEarly }))).toEqual(
        media.map((medium) => ({ medium, endedEarly: 0 })),
      );
    },
    TEST_LIMIT_MS,
  );
});
