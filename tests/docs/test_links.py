"""Every link of every page leads somewhere."""

import pytest

from support.documents import ROOT, pages, read_page

PAGES = {str(path.relative_to(ROOT)): read_page(path) for path in pages()}


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_to_a_file_or_a_heading_that_is_there(name):
    page = PAGES[name]
    broken = []
    for link in page.links:
        if "://" in link:
            continue
        target, _, anchor = link.partition("#")
        path = (page.path.parent / target).resolve() if target else page.path
        is_there = path.exists() and path.is_relative_to(ROOT)
        if is_there and anchor and path.suffix == ".md":
            is_there = anchor in {section.slug for section in read_page(path).sections}
        if not is_there:
            broken.append(link)
    assert broken == []


def test_every_page_of_the_docs_can_be_reached_from_the_readme():
    linked = {(ROOT / link.partition("#")[0]).resolve() for link in PAGES["README.md"].links if "://" not in link}
    for path in [*ROOT.glob("docs/*.md"), *ROOT.glob("editors/*/README.md")]:
        assert path in linked, path
