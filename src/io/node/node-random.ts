import type { Random } from '../../core/ports.js';

export const nodeRandom: Random = { next: () => Math.random() };
