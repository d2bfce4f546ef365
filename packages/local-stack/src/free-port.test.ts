import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { findFreePorts } from './free-port.ts';

const CALLS = 50;
const FIND_PORTS = `
import { findFreePorts } from ${JSON.stringify(new URL('./free-port.ts', import.meta.url).href)};
const ports = [];
for (let i = 0; i < ${CALLS}; i += 1) ports.push(await findFreePorts(3));
console.log(JSON.stringify(ports));
`;

async function findInOtherProcess(): Promise<number[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', FIND_PORTS]);
  return JSON.parse(stdout) as number[];
}

describe('findFreePorts', () => {
  it('returns no port twice, neither in this process nor in a concurrent one', async () => {
    const own = Array.from({ length: CALLS }, () => findFreePorts(3));
    const found = await Promise.all([Promise.all(own), findInOtherProcess()]);
    const ports = found.flat().flatMap((first) => [first, first + 1, first + 2]);
    expect(new Set(ports).size).toBe(2 * 3 * CALLS);
  });
});
