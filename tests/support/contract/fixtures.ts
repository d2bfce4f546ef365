import { batchBodies } from './batch-bodies.ts';
import { callBodies } from './call-bodies.ts';
import { corpusBodies } from './corpus-bodies.ts';
import { integrationBodies } from './integration-bodies.ts';
import { resourceBodies } from './resource-bodies.ts';
import type { World } from './world.ts';

/** Bodies that an operation takes. */
export interface BodyFixture {
  /** With required fields only. */
  minimal: unknown;
  /** Together they have every field: what excludes each other stands in different ones. */
  maximal: readonly unknown[];
  /** What a valid body is answered, where it isn't the operation's success: what it takes isn't there in this test. */
  answered?: { status: number; code: string };
  /** Before each of the bodies. */
  before?: () => Promise<unknown>;
}

/** By the operation's id; `path` is that of the rows it is about. */
export type BodyFixtures = Record<string, (world: World, path: string) => BodyFixture | Promise<BodyFixture>>;

export const bodyFixtures: BodyFixtures = {
  ...callBodies,
  ...batchBodies,
  ...resourceBodies,
  ...corpusBodies,
  ...integrationBodies,
};
