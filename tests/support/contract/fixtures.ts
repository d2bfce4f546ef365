import { batchBodies } from './batch-bodies.ts';
import { callBodies } from './call-bodies.ts';
import { corpusBodies } from './corpus-bodies.ts';
import { integrationBodies } from './integration-bodies.ts';
import { resourceBodies } from './resource-bodies.ts';
import type { World } from './world.ts';

/** Valid request bodies of an operation. */
export interface BodyFixture {
  /** Has only the required fields. */
  minimal: unknown;
  /** Together they contain every field. Mutually exclusive fields are in different bodies. */
  maximal: readonly unknown[];
  /** Expected response to a valid body if it is not success, because this test lacks what the operation requires. */
  answered?: { status: number; code: string };
  /** Runs before each of the bodies is sent. */
  before?: () => Promise<unknown>;
}

/** Fixtures by operation id. `path`: path of the resources that the operation concerns. */
export type BodyFixtures = Record<string, (world: World, path: string) => BodyFixture | Promise<BodyFixture>>;

export const bodyFixtures: BodyFixtures = {
  ...callBodies,
  ...batchBodies,
  ...resourceBodies,
  ...corpusBodies,
  ...integrationBodies,
};
