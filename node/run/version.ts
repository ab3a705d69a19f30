// The version of this program, from the package that it is part of.
import manifest from '../../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;
