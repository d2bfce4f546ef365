import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { API_FILE, generateTypes, generateVendors, VENDORS_FILE } from './generate.ts';

describe('the generated client', () => {
  it('has the types of the API; `npm run generate` updates them', async () => {
    expect(await generateTypes()).toBe(await readFile(API_FILE, 'utf8'));
  });

  it('has the vendors and their forms; `npm run generate` updates them', async () => {
    expect(generateVendors()).toBe(await readFile(VENDORS_FILE, 'utf8'));
  });
});
