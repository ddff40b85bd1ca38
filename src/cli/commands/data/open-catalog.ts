import { catalogFolder } from '../../../catalog/catalog-folder.js';
import { DataCatalog } from '../../../catalog/catalog.js';
import { nodeProcessFacts } from '../../../io/node/process/node-process-facts.js';
import type { Io } from '../../command-io.js';
import type { CatalogOptions } from './data-group.js';

/** The catalogue that the options or the environment name. @throws UsageError if they name none */
export const openCatalog = (
  { catalog }: Pick<CatalogOptions, 'catalog'>,
  { files, clock, scheduler, env }: Pick<Io, 'files' | 'clock' | 'scheduler' | 'env'>,
): DataCatalog =>
  new DataCatalog(catalogFolder(catalog, env), {
    files,
    clock,
    scheduler,
    locks: nodeProcessFacts.locks,
  });
