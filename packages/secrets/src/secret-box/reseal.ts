import { sealPaths } from './seal-paths.ts';
import type { SecretBox } from './secret-box.ts';
import { SecretBoxError } from './secret-box-error.ts';

/**
 * A copy with the texts that an older key sealed for this context sealed with the newest; everything else as it was, texts
 * that only look sealed or belong to another context included.
 */
export function reseal<T>(value: T, box: SecretBox, context: string): T {
  return sealPaths(value, ['**'], (text) => {
    if (!box.isSealed(text)) return text;
    try {
      return box.needsResealing(text) ? box.seal(box.open(text, context), context) : text;
    } catch (thrown) {
      if (thrown instanceof SecretBoxError) return text;
      throw thrown;
    }
  });
}
