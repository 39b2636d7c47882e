"""The application's table of contents: settings, extensions, packages, errors, commands."""

from __future__ import annotations

import logging
import os
from threading import Event
from typing import TYPE_CHECKING

from flask import Flask, abort, request
from flask_bootstrap import Bootstrap5
from flask_wtf import CSRFProtect
from sqlalchemy.exc import OperationalError

from portal import cli, instance
from portal.accounts.api_tokens import blueprint as token_pages
from portal.accounts.extension import init_accounts
from portal.accounts.notices import blueprint as notice_pages
from portal.accounts.openid import blueprint as openid_pages
from portal.accounts.openid import connections as openid_connections
from portal.accounts.routes import blueprint as account_pages
from portal.accounts.routes import mailed_pages
from portal.admin.labs.routes import own_lab as own_lab_pages
from portal.admin.people.invitation_pages import blueprint as joining_pages
from portal.admin.routes import blueprint as admin_pages
from portal.api.routes import init_api
from portal.applications import clock as applications_clock  # noqa: F401  (declares what the clock starts)
from portal.applications.routes import blueprint as applicant_pages
from portal.applications.routes import help_blueprint as help_pages
from portal.applications.routes import secret_blueprint as secret_pages
from portal.config import PACKAGE, RESOURCES, Settings, SettingsError, read_settings
from portal.db import db, migrate
from portal.labs import freshness as labs_clockwork  # noqa: F401  (declares what the clock starts)
from portal.labs.live_index.live import init_live_index
from portal.labs.pages import blueprint as lab_pages
from portal.labs.ranking_pages import init_preparing_page
from portal.mail.transport import mail, mail_config, mailbox_folder
from portal.reviews import clockwork as reviews_clockwork  # noqa: F401  (declares what the clock starts)
from portal.reviews.routes import blueprint as review_pages
from portal.storage import FileStore
from portal.web.assets import STATIC, init_assets
from portal.web.errors import init_errors, init_transaction
from portal.web.forms import ColumnInteger
from portal.web.headers import init_headers
from portal.web.job_pages import blueprint as job_pages
from portal.web.limits import init_proxies, init_unread_bodies, limiter
from portal.web.logs import add_log_filters, write_log_lines
from portal.web.messages import init_messages
from portal.web.navigation import init_navigation
from portal.web.templating import init_templating
from portal.web.work import blueprint as health_pages
from portal.web.work import init_work

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

logger = logging.getLogger(__name__)
csrf = CSRFProtect()
bootstrap = Bootstrap5()

NOT_HTTPS = (
    "PORTAL_BASE_URL is %s: mails lead there, and without https what people send, passwords included, can be read on "
    "its way. Set it to the public https address."
)
NO_MAIL = "PORTAL_MAIL_URL is not set: mails are written as files into %s and reach nobody."
FORM_ALLOWANCE = 2 * 1024 * 1024  # bytes that a form may hold in addition to an uploaded file


def create_app(settings: Mapping[str, str] | None = None, *, serving: bool = True) -> Flask:
    """Build the application; see `portal.create_app`. Raises SettingsError if a setting cannot be used."""
    app_settings = read_settings({**os.environ, **(settings or {})}, serving=serving)
    instance.make_folder(app_settings)
    app = Flask(
        "portal",
        instance_path=str(app_settings.instance),
        template_folder=str(RESOURCES / "templates"),
        static_folder=str(RESOURCES / "static"),
    )
    configure(app, app_settings)
    init_extensions(app, app_settings, serving=serving)
    init_rooms(app)
    if serving and app_settings.mode == "production":
        write_log_lines()
        warn_of_settings(app_settings)
        refuse_demo_data(app)
    return app


def warn_of_settings(settings: Settings) -> None:
    """Log what a portal for real people hardly means."""
    if not settings.secure_cookies:
        logger.warning(NOT_HTTPS, settings.base_url)
    if not settings.mail_url:
        logger.warning(NO_MAIL, mailbox_folder(settings))


def refuse_demo_data(app: Flask) -> None:
    """Raise SettingsError if the database is marked as a demo's. One that does not answer yet is checked before the
    first request instead: an error here would let one worker that starts early take down all others.
    """

    def why_not() -> str | None:
        return instance.why_not_production(db.session()) if instance.has_tables() else None

    with app.app_context():
        try:
            if reason := why_not():
                raise SettingsError(reason)
        except OperationalError:
            logger.exception("The database does not answer yet; it is checked again before the first request")
            app.before_request_funcs.setdefault(None, []).insert(0, _until_checked(why_not))
        finally:
            db.session.remove()
            db.engine.dispose()


def _until_checked(why_not: Callable[[], str | None]) -> Callable[[], None]:
    """Until the database is known not to be a demo's, serve only the liveness check and static files."""
    is_checked = Event()

    def check_database() -> None:
        if is_checked.is_set() or request.endpoint in {"health.alive", *STATIC}:
            return
        try:
            reason = why_not()
        except OperationalError:
            if request.blueprint == "health":  # which reports it in its own form
                return
            raise
        if reason:
            logger.critical(reason)
            abort(503)
        is_checked.set()

    return check_database


def configure(app: Flask, settings: Settings) -> None:
    """Put the settings where Flask and the extensions expect them."""
    app.config.update(
        PORTAL=settings,
        SECRET_KEY=settings.secret_key,
        TESTING=settings.mode == "testing",
        SQLALCHEMY_DATABASE_URI=settings.sqlalchemy_url,
        # A connection closed by a restarted database is replaced before it is used. Statement parameters hold what
        # people typed; error messages and logs must not repeat them.
        SQLALCHEMY_ENGINE_OPTIONS={"pool_pre_ping": True, "hide_parameters": True},
        MAX_CONTENT_LENGTH=settings.upload_bytes + FORM_ALLOWANCE,
        MAX_FORM_MEMORY_SIZE=FORM_ALLOWANCE,
        SESSION_COOKIE_PATH=settings.cookie_path,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SECURE=settings.secure_cookies,
        REMEMBER_COOKIE_PATH=settings.cookie_path,
        REMEMBER_COOKIE_SAMESITE="Lax",
        REMEMBER_COOKIE_HTTPONLY=True,
        REMEMBER_COOKIE_SECURE=settings.secure_cookies,
        # A form stays valid as long as the session: a person may think about a statement for days.
        WTF_CSRF_TIME_LIMIT=None,
        BOOTSTRAP_SERVE_LOCAL=True,
        RATELIMIT_STORAGE_URI=settings.limits_url,
        **mail_config(settings),
    )
    app.url_map.converters["int"] = ColumnInteger
    if settings.mode == "production":
        logging.getLogger("portal").setLevel(logging.INFO)
    init_proxies(app, settings)
    init_unread_bodies(app)


def init_extensions(app: Flask, settings: Settings, *, serving: bool) -> None:
    """Set up the extensions. After-request hooks run in reverse order: the transaction ends first."""
    add_log_filters()
    init_headers(app, https=settings.secure_cookies)
    init_messages(app)
    db.init_app(app)
    migrate.init_app(app, db, directory=str(PACKAGE / "migrations"), render_as_batch=True, compare_type=True)
    csrf.init_app(app)
    init_preparing_page(app)
    limiter.init_app(app)
    mail.init_app(app)
    init_work(app, settings)
    bootstrap.init_app(app)
    init_templating(app)
    init_assets(app)
    init_navigation(app)
    init_errors(app)
    init_accounts(app, settings)
    # Tests and commands wait for the index; a serving process must not.
    init_live_index(app, settings.instance / "index", in_background=serving and settings.mode != "testing")
    app.extensions["portal_files"] = FileStore(settings.uploads)
    init_transaction(app)


def init_rooms(app: Flask) -> None:
    """Register each audience's pages, the API and the commands."""
    for pages in (
        account_pages,
        mailed_pages,
        notice_pages,
        token_pages,
        openid_pages,
        openid_connections,
        lab_pages,
        applicant_pages,
        secret_pages,
        help_pages,
        review_pages,
        own_lab_pages,
        admin_pages,
        joining_pages,
        health_pages,
        job_pages,
    ):
        app.register_blueprint(pages)
    init_api(app, csrf)
    cli.register(app)
