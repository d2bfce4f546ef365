import { openEngines } from './engines.ts';
import { playScene, type Played } from './play-scene.ts';
import { SCENES, type Scene } from './scenes.ts';

/** All scenes, side by side. */
export async function playAll(): Promise<ReadonlyMap<Scene, Played>> {
  await using engines = await openEngines();
  const played = await Promise.all(SCENES.map((scene) => playScene(scene, engines)));
  return new Map(SCENES.map((scene, i) => [scene, played[i] ?? { turns: 'not played', words: [] }]));
}
