import type { Pagination } from '../../generated/service/schemas.ts'

/** Specification 2.5; a page out of range has no neighbours but the last page before it. */
export function pagination(count: number, page: number, per: number): Pagination {
  const num_pages = Math.ceil(count / per)
  return {
    count,
    page,
    per,
    num_pages,
    next_page: page < num_pages ? page + 1 : null,
    prev_page: page > 1 ? Math.min(page - 1, Math.max(num_pages, 1)) : null,
  }
}
