// Where tools send to; apart from the schemas, because the page shows these addresses.

export const INGEST_PATH = '/api/ingest'
export const githubPath = (prefix: string) => `${INGEST_PATH}/github/${prefix}`
