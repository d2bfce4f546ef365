import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { duplicateIssues, readScenarios, type ReadScenarios } from '../scenario/read-scenarios.ts';

/** The agent of the scenarios in its folder. */
export const AGENT_FILE = 'agent.yaml';

/** Reads the scenarios of files, and of the `.yaml` and `.yml` files in folders and their subfolders. */
export async function findScenarios(paths: readonly string[]): Promise<ReadScenarios> {
  const found: ReadScenarios = { scenarios: [], issues: [] };
  for (const path of paths) {
    for (const file of await filesAt(path)) {
      const { scenarios, issues } = readScenarios(file, await readFile(file, 'utf8'));
      found.scenarios.push(...scenarios);
      found.issues.push(...issues);
    }
  }
  found.issues.push(...duplicateIssues(found.scenarios));
  return found;
}

async function filesAt(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.ya?ml$/u.test(entry.name) && entry.name !== AGENT_FILE)
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
