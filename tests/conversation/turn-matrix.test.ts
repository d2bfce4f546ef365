import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { IS_LONG_FORM } from '@calls/testkit/long-form';
import { playAll } from './turn-matrix/play-all.ts';
import type { Played } from './turn-matrix/play-scene.ts';
import { SCENES, type Scene } from './turn-matrix/scenes.ts';
import { RESULTS_PATH, withResults } from './turn-matrix/results-page.ts';

const itInLongForm = IS_LONG_FORM ? it : it.skip;
/** Every fifth scene; all scenes in the long form. */
const scenes = IS_LONG_FORM ? SCENES : SCENES.filter((_scene, i) => i % 5 === 0);

describe('recorded conversations', () => {
  let played: ReadonlyMap<Scene, Played>;
  beforeAll(async () => {
    played = await playAll(scenes);
  });

  it.each(scenes.map((scene) => [scene.name, scene.input, scene] as const))(
    'yield the expected turns in the scene "%s": %s',
    (_name, _input, scene) => {
      expect(played.get(scene)?.turns).toBe(scene.expected);
    },
  );

  itInLongForm(
    'are listed in docs/internals/recorded-conversations.md (npm run turn-matrix writes it)',
    async () => {
      const turns = new Map([...played].map(([scene, result]) => [scene, result.turns]));
      expect(await readFile(RESULTS_PATH, 'utf8')).toBe(await withResults(turns));
    },
  );
});
