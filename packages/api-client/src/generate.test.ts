import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import {
  ADMIN_API_FILE,
  API_FILE,
  generateAdminApiTypes,
  generateApiTypes,
  generateVendors,
  VENDORS_FILE,
} from './generate.ts';

describe('the generated client', () => {
  it('is up to date with the API operations (`npm run generate` updates it)', async () => {
    expect(await generateApiTypes()).toBe(await readFile(API_FILE, 'utf8'));
    expect(await generateAdminApiTypes()).toBe(await readFile(ADMIN_API_FILE, 'utf8'));
  });

  it('is up to date with the vendors and their forms (`npm run generate` updates it)', async () => {
    expect(generateVendors()).toBe(await readFile(VENDORS_FILE, 'utf8'));
  });
});
