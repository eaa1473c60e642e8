"""`manage.py fill_demo`: a project of sample data in the demo account, or in another owner's."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from console.configuration import environment
from console.data.sample_data.by_requests import fill_by_requests
from console.data.sample_data.filling import NotFilled, find_sample_project
from console.data.sample_data.job import remove_sample_data
from console.embedded.demo.demo_file import EMAIL
from tenancy.errors import CatalogueError
from tenancy.models import Account, Role, User


class Command(BaseCommand):
    help = (
        "Fills a project with invented end users, conversations in two languages, a file, skills and a month of "
        "requests, through the API of the running installation; --remove deletes that project."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--email", default=EMAIL, help="the owner of the account, the demo's if not given"
        )
        parser.add_argument(
            "--url", default="", help="where the API is, this installation's address if not given"
        )
        parser.add_argument("--remove", action="store_true", help="delete the project of sample data")

    def handle(self, *args: Any, **options: Any) -> None:
        owner, account = _require_owned_account(options["email"])
        sample_project = find_sample_project(account)
        if options["remove"]:
            if sample_project is None:
                raise CommandError("There is no project of sample data.")
            try:
                remove_sample_data(sample_project, owner)
            except CatalogueError as refusal:
                raise CommandError(f"The project of sample data stays: {refusal}") from refusal
            self.stdout.write("The project of sample data is being deleted.")
            return
        if sample_project is not None:
            raise CommandError("The sample data is there already; --remove deletes it.")
        url = (options["url"] or environment.read_public_url()).rstrip("/")
        try:
            project = fill_by_requests(account, owner, f"{url}/api/openmem/v1")
        except (NotFilled, CatalogueError) as error:
            raise CommandError(f"The sample data is incomplete: {error}") from error
        self.stdout.write(f"{url}/p/{project.pk}/")


def _require_owned_account(email: str) -> tuple[User, Account]:
    owner = User.objects.filter(email__iexact=email).first()
    if owner is None:
        raise CommandError(f"There is no login {email}.")
    membership = owner.memberships.filter(role=Role.OWNER).select_related("account__plan").first()
    if membership is None:
        raise CommandError(f"{email} owns no account.")
    return owner, membership.account
