/** The version in package.json; releases update both. */
export const VERSION = '0.1.0';
