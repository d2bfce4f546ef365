import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const FILE = '.cache/test-cpu-seconds.txt';
const SHOWN = 10;

/** Writes the CPU time of each test file (native-tests.mjs) to a file and prints the highest ones. */
export default class CpuReporter {
  #rootDir;
  #lines = [];

  constructor({ rootDir }) {
    this.#rootDir = rootDir;
  }

  onTestResult(_test, { testFilePath, cpuMs }) {
    if (cpuMs !== undefined) this.#lines.push([cpuMs / 1000, relative(this.#rootDir, testFilePath)]);
  }

  onRunComplete() {
    const lines = this.#lines
      .sort(([a], [b]) => b - a)
      .map(([s, file]) => `${s.toFixed(1).padStart(6)} ${file}`);
    if (lines.length === 0) return;
    writeFileSync(join(this.#rootDir, FILE), `${lines.join('\n')}\n`);
    const sum = this.#lines.reduce((total, [seconds]) => total + seconds, 0);
    const shown = lines.slice(0, SHOWN).join('\n');
    process.stderr.write(`\nProcessor time: ${sum.toFixed(1)} s. Most by file (all: ${FILE}):\n${shown}\n`);
  }
}
