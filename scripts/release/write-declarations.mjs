import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { repository } from '../setup/host.mjs';

/** `from './x.ts'`, `import('./x.ts')`: consumers' compilers resolve `.js`. */
const RELATIVE_IMPORT = /(from |import\()'(\.\.?\/[^']+)\.ts'/gu;

/** Writes the type declarations of the entries, and those that they import, into `dist` of the package in the current folder. */
const { files: entries } = JSON.parse(readFileSync('tsconfig.build.json', 'utf8'));
const emitted = join(mkdtempSync(join(tmpdir(), 'calls-declarations-')), 'src');
try {
  const tsc = join(repository, 'node_modules/typescript/bin/tsc');
  const flags = ['--declaration', '--emitDeclarationOnly', '--stripInternal', '--outDir', emitted];
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', ...flags], { stdio: 'inherit' });
  const written = new Set();
  const pending = entries.map((entry) => `${basename(entry, '.ts')}.d.ts`);
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (written.has(file)) continue;
    written.add(file);
    const text = readFileSync(join(emitted, file), 'utf8');
    const target = join('dist', file);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text.replace(RELATIVE_IMPORT, "$1'$2.js'"));
    for (const [, , path] of text.matchAll(RELATIVE_IMPORT))
      pending.push(`${join(dirname(file), path)}.d.ts`);
  }
} finally {
  rmSync(dirname(emitted), { recursive: true });
}
