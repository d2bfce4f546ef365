import { join } from 'node:path';
import { spawnTracked } from '../setup/child-processes.mjs';
import { repository } from '../setup/host.mjs';

/** The command that derives the next version from the commits since the last tag, with changelog, commit and tag. */
export function releaseCommand(node, args) {
  return [node, join(repository, 'node_modules/commit-and-tag-version/bin/cli.js'), ...args];
}

/** `npm run release`; `-- --dry-run` shows what it would do. Resolves to the exit code. */
export function release(node, args) {
  const [program, ...programArgs] = releaseCommand(node, args);
  return spawnTracked(program, programArgs, { cwd: repository, stdio: 'inherit' }).exitCode;
}
