import { apiPage } from './api-page.ts'
import { apiTypes } from './api-types.ts'
import { architecturePage } from './architecture-page.ts'
import { cliPage } from './cli-page.ts'
import { errorsPage } from './errors-page.ts'
import { eventsPage } from './events-page.ts'
import { examplesPage } from './examples-page.ts'
import { libraryPage } from './library-page.ts'
import { metricsPage } from './metrics-page.ts'
import { openApiDocument } from './openapi-document.ts'
import { verbsPage } from './verbs-page.ts'

/** Everything that is made from the code, by its file seen from `docs/`: pages, and the types of the portal's client. */
export async function generatedPages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['../api/portal/app/api-types.ts', await apiTypes()],
    ['api.md', apiPage(await openApiDocument())],
    ['architecture.md', architecturePage()],
    ['cli.md', cliPage()],
    ['errors.md', errorsPage()],
    ['events.md', eventsPage()],
    ['examples.md', examplesPage()],
    ['library.md', libraryPage()],
    ['metrics.md', metricsPage()],
    ['verbs.md', verbsPage()],
  ])
}
