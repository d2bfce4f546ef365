import { describe, expect, it } from '@jest/globals';
import { DRILL_MEDIA } from '../drill/callers/drill-caller.ts';
import { startDrillStack } from '../drill/drill-stack.ts';
import { runScale } from '../drill/scale.ts';

const TEST_LIMIT_MS = 600_000;
const SIZE = { 'control-plane': 1, 'media-worker': 3, dispatcher: 1 };

describe('autoscaling of media-workers', () => {
  it(
    'scales from one worker to three and back without ending a call',
    async () => {
      const options = { kind: 'scale', calls: 8, rounds: 1, media: DRILL_MEDIA, size: SIZE } as const;
      await using drill = await startDrillStack({ ...options, dataDir: null });
      const said: string[] = [];
      const { rows, problems } = await runScale(drill, options, (line) => void said.push(line));
      expect(problems).toEqual([]);
      expect(rows.map(({ medium, endedEarly }) => ({ medium, endedEarly }))).toEqual(
        DRILL_MEDIA.map((medium) => ({ medium, endedEarly: 0 })),
      );
      for (const { calls, moves } of rows) expect(moves).toBeGreaterThanOrEqual(calls);
      const workers = said.map((line) => /(?<count>\d) media-workers/u.exec(line)?.groups?.['count']);
      expect(workers).toEqual(['1', '1', '2', '3', '3', '2', '1']);
    },
    TEST_LIMIT_MS,
  );
});
