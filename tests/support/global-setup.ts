import { buildServices } from './build-services.ts';
import { makeClusterTemplate, removeClusterTemplate } from './cluster-template.ts';
import { startSharedPostgres } from './shared-postgres.ts';

let postgres: AsyncDisposable | undefined;

/** Jest calls this once before the tests of projects that use servers. */
export default async function setUp(): Promise<void> {
  await Promise.all([makeClusterTemplate(), buildServices()]);
  postgres = await startSharedPostgres();
}

/** Jest calls this once after these tests. */
export async function tearDown(): Promise<void> {
  await postgres?.[Symbol.asyncDispose]();
  await removeClusterTemplate();
}
