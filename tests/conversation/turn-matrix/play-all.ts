import { openEngines } from './engines.ts';
import { playScene, type Played } from './play-scene.ts';
import { SCENES, type Scene } from './scenes.ts';

/** Plays the scenes concurrently. */
export async function playAll(scenes = SCENES): Promise<ReadonlyMap<Scene, Played>> {
  await using engines = await openEngines();
  const played = await Promise.all(scenes.map((scene) => playScene(scene, engines)));
  return new Map(scenes.map((scene, i) => [scene, played[i] ?? { turns: 'not played', words: [] }]));
}
