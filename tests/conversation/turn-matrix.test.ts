import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { playAll } from './turn-matrix/play-all.ts';
import type { Played } from './turn-matrix/play-scene.ts';
import { SCENES, type Scene } from './turn-matrix/scenes.ts';
import { TURN_TABLE_PATH, withTable } from './turn-matrix/turn-table.ts';

describe('recorded conversations', () => {
  let played: ReadonlyMap<Scene, Played>;
  beforeAll(async () => {
    played = await playAll();
  }, 120_000);

  it.each(SCENES.map((scene) => [scene.name, scene] as const))('%s', (_name, scene) => {
    expect(played.get(scene)?.turns).toBe(scene.expected);
  });

  it('are in the table of docs/turn-taking.md (npm run turn-matrix writes it)', async () => {
    const turns = new Map([...played].map(([scene, result]) => [scene, result.turns]));
    expect(await readFile(TURN_TABLE_PATH, 'utf8')).toBe(await withTable(turns));
  });
});
